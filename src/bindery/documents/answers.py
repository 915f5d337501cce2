"""Questions and answers as an application prints them."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from bindery.contract.questions import QuestionType
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import AnsweredQuestion, DocumentFacts
from bindery.domain.questions.question import QuestionText, question_set

NUMBERS_OF_DOLLARS: Final = frozenset({"Q2418"})
NONE_OF_THEM: Final = "None of the above"
SHORT: Final = 90
MOST_BESIDE: Final = 8
"""Up to this many letters or options, an answer stands next to its question."""


@dataclass(frozen=True, slots=True)
class PrintedAnswer:
    """One question of an application; `denied` are the options that the answer says no to."""

    id: str
    text: str
    lines: tuple[str, ...]
    denied: tuple[str, ...]
    is_long: bool


def shown_answers(facts: DocumentFacts) -> list[PrintedAnswer]:
    """Return the questions that were asked, in their order."""
    asked = question_set(facts.product, facts.question_edition)
    return [
        _shown(question, question.answer, asked.find(question.id))
        for question in facts.questions
        if question.answer is not None
    ]


def unasked(facts: DocumentFacts) -> str | None:
    """Name the questions that nobody had to answer; None where all were asked."""
    return ", ".join(question.id for question in facts.questions if question.answer is None) or None


def _shown(question: AnsweredQuestion, answer: str, asked: QuestionText | None) -> PrintedAnswer:
    is_text = asked is None or asked.type is QuestionType.FREE_TEXT
    lines = tuple(_formatted(answer, asked).split("\n"))
    many = not is_text and len(lines) > MOST_BESIDE
    return PrintedAnswer(
        id=question.id,
        text=typographic(question.text),
        lines=("; ".join(lines),) if many else lines,
        denied=_denied(lines, asked),
        is_long=many or (is_text and (len(answer) > SHORT or len(lines) > 1)),
    )


def _formatted(answer: str, asked: QuestionText | None) -> str:
    """Write amounts and dates as the rest of the paper does; they were frozen as they are stored."""
    if asked is None:
        return answer
    if asked.type is QuestionType.DATE:
        return long_date(date.fromisoformat(answer))
    if asked.type is QuestionType.AMOUNT:
        return answer.removesuffix(".00")
    return f"${answer}" if asked.id in NUMBERS_OF_DOLLARS else answer


def _denied(chosen: tuple[str, ...], asked: QuestionText | None) -> tuple[str, ...]:
    """Return what was not chosen from a list that has a `None of the above`: that much is attested too."""
    if asked is None or NONE_OF_THEM not in asked.exclusive_options:
        return ()
    return tuple(
        typographic(option.text)
        for option in asked.options
        if not option.exclusive and option.text not in chosen
    )
