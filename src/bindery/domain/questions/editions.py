"""Reading the question sets from their data files; old editions stay, because old quotes show their texts."""

from collections.abc import Iterable
from datetime import date
from typing import Any, Final

import msgspec

from bindery.contract.questions import QuestionType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.answers import bare_id
from bindery.domain.editions import Editions, packaged
from bindery.domain.questions.conditions import OptionsOfKind, read_condition
from bindery.domain.questions.question import Option, QuestionEdition, QuestionSet, QuestionText


class _QuestionData(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    id: str
    type: QuestionType
    text: str
    required_when: dict[str, Any]  # a tree of no fixed shape; `read_condition` takes it apart
    help: str | None = None
    options: tuple[Option, ...] = ()
    minimum: int | None = None


class _SetData(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    questions: tuple[_QuestionData, ...]
    after: InsuranceProduct | None = None


class _EditionData(msgspec.Struct):
    edition: str
    effective_from: date
    sets: dict[InsuranceProduct, _SetData]


def question_set(product: InsuranceProduct, edition: str) -> QuestionSet:
    """Return the questions of a product in the edition of that name."""
    return QUESTIONS.named(edition).sets[product]


def read_edition(data: bytes) -> QuestionEdition:
    """Read an edition from JSON; `check_questions` says whether it makes sense.

    Raises:
        ValueError: a field has the wrong type or is not known, or a condition has no known form.
    """
    read = msgspec.json.decode(data, type=_EditionData)
    options_of_kind = _options_of_kind(question for rows in read.sets.values() for question in rows.questions)
    own = {
        product: tuple(_question(row, options_of_kind) for row in rows.questions)
        for product, rows in read.sets.items()
    }
    sets = {
        product: QuestionSet(
            edition=read.edition,
            product=product,
            questions=(own[rows.after] if rows.after else ()) + own[product],
        )
        for product, rows in read.sets.items()
    }
    return QuestionEdition(edition=read.edition, effective_from=read.effective_from, sets=sets)


QUESTIONS: Final = Editions("question set", lambda: map(read_edition, packaged("questions")))


def _question(row: _QuestionData, options_of_kind: OptionsOfKind) -> QuestionText:
    condition = read_condition(row.required_when, options_of_kind)
    return QuestionText(**msgspec.structs.asdict(row) | {"required_when": condition})


def _options_of_kind(questions: Iterable[_QuestionData]) -> OptionsOfKind:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for question in questions:
        for option in question.options:
            if option.kind is not None:
                key = (bare_id(question.id), option.kind.value)
                found[key] = (*found.get(key, ()), option.text)
    return found
