"""What the review shows: the request in words, what is in its way, and what sending it leads to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from bindery.base.errors import Problem
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT
from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.fields import (
    OPTIONS,
    PRODUCT,
    QUESTION,
    domains_of,
    questions_of,
    unknown_answers,
)
from bindery.domain.products import record_of
from bindery.http.quote_request import Judgment
from bindery.web.draft.field_words import in_words, option_in_words, values_in_words
from bindery.web.draft.problems import LABELS, FoundProblem
from bindery.web.shown.words import american, counted

MOST_PROBLEMS: Final = 100
_NOT_IN_COMPANY: Final = frozenset({PRODUCT, OPTIONS})


@dataclass(frozen=True, slots=True)
class ShownProblem:
    address: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ReviewedAnswer:
    question: str
    answer: str
    is_new: bool


def shown_review(
    draft: Draft,
    body: Mapping[str, Any],
    judgment: Judgment,
    problems: tuple[FoundProblem, ...],
    *,
    today: date,
) -> Mapping[str, object]:
    place = f"/draft/{draft.draft_id}"
    options = body["policy"].get("quotes") or [{"aggregate_limit": DEFAULT_AGGREGATE_LIMIT}]
    answers = tuple(_answers(draft, today))
    return {
        "fixes": tuple(
            ShownProblem(f"{place}/{found.step}?check=1#{found.field}", found.label, found.text)
            for found in problems[:MOST_PROBLEMS]
        ),
        "left_out": max(len(problems) - MOST_PROBLEMS, 0),
        "company": tuple(_company(draft)),
        "answers": answers,
        "new_answers": sum(answer.is_new for answer in answers),
        "options": tuple(map(option_in_words, options)),
        "warnings": tuple(map(_warning, judgment.warnings)),
        "reasons": tuple(reason.text for reason in judgment.reasons),
        "scanned": len(domains_of(draft.fields)) if record_of(draft.product).is_scanned else 0,
        "sends": "Check again and send" if problems else f"Send for {counted(len(options), 'quote')}",
    }


def _company(draft: Draft) -> Iterator[tuple[str, str]]:
    for name, label in LABELS.items():
        if draft.typed(name) and name not in _NOT_IN_COMPANY:
            yield label, values_in_words(name, draft.fields[name])


def _answers(draft: Draft, today: date) -> Iterator[ReviewedAnswer]:
    """Yield the answers in the order of the questions; answers to what is not asked any more come last."""
    new = draft.new_questions(today)
    questions = questions_of(draft.fields, today)
    for question in questions:
        values = draft.fields.get(QUESTION + question.id, ())
        if values or question.id in new:
            shown = ", ".join(map(in_words, values))
            yield ReviewedAnswer(question.text, american(shown) or "Not answered", question.id in new)
    for question_id, values in unknown_answers(draft.fields, today).items():
        yield ReviewedAnswer(
            f"{question_id}, which is no question of this product: not sent", ", ".join(values), is_new=False
        )


def _warning(problem: Problem) -> str:
    return f"{american(problem.message).removesuffix('.')}."
