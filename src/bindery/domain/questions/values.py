"""Reading one answer, as JSON has it, into the type of its question."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final

from bindery.base.errors import Problem
from bindery.contract.questions import QuestionType
from bindery.domain.applicant.risk import AnswerValue
from bindery.domain.questions.question import MAX_NUMBER, MAX_OPTION_LENGTH, MAX_TEXT_LENGTH, QuestionText
from bindery.domain.text import composed

RawValue = str | int | bool | Sequence[object]

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,40}")
_AMOUNT = re.compile(r"-?\$? ?([0-9]{1,40}|[0-9]{1,3}(,[0-9]{3}){1,12})(\.[0-9]{1,10})?")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TRUTHS: Final[Mapping[str, bool]] = {"true": True, "false": False}
_SHOWN_LENGTH: Final = 60


class AnswerProblem(StrEnum):
    UNKNOWN_QUESTION = "unknown_question"
    DUPLICATE_QUESTION = "duplicate_question"
    MISSING_ANSWER = "missing_answer"
    WRONG_TYPE = "wrong_type"
    NOT_AN_OPTION = "not_an_option"
    EXCLUSIVE_OPTION = "exclusive_option"
    TOO_MANY = "too_many"
    TOO_LONG = "too_long"
    OUT_OF_RANGE = "out_of_range"


class Unreadable(Exception):
    """An answer that does not fit its question; the paths of its problems start at the value."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))


def read_value(question: QuestionText, raw: object) -> AnswerValue:
    """Read an answer; a blank text or an empty list stays empty, for the sheet to judge.

    Raises:
        Unreadable: the answer does not fit its question.
    """
    return _READERS[question.type](question, raw)


def shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f"`{text}`" if len(text) <= _SHOWN_LENGTH else f"`{text[:_SHOWN_LENGTH]}…`"


def _read_boolean(question: QuestionText, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    truth = _TRUTHS.get(raw.strip().lower()) if isinstance(raw, str) else None
    if truth is None:
        raise _refused(AnswerProblem.WRONG_TYPE, f"{question.id} is answered with true or false")
    return truth


def _read_number(question: QuestionText, raw: object) -> int:
    number = raw
    if isinstance(raw, str) and _WHOLE_NUMBER.fullmatch(raw.strip()):
        number = int(raw)
    if not isinstance(number, int) or isinstance(number, bool):
        raise _refused(AnswerProblem.WRONG_TYPE, f"{question.id} is answered with a whole number")
    _check_range(question, number)
    return number


def _read_amount(question: QuestionText, raw: object) -> Decimal:
    if isinstance(raw, int) and not isinstance(raw, bool):
        _check_range(question, raw)
        return Decimal(raw)
    if not isinstance(raw, str) or not _AMOUNT.fullmatch(raw.strip()):
        raise _refused(
            AnswerProblem.WRONG_TYPE, f"{question.id} is answered with an amount such as $1,250,000"
        )
    amount = Decimal(raw.translate(_WITHOUT_MONEY_SIGNS))
    _check_range(question, amount)
    return amount


_WITHOUT_MONEY_SIGNS: Final = str.maketrans("", "", "$, \t\r\n")


def _read_date(question: QuestionText, raw: object) -> date:
    if isinstance(raw, str) and _ISO_DATE.fullmatch(raw.strip()):
        try:
            return date.fromisoformat(raw.strip())
        except ValueError:
            pass  # such as 2026-02-30: refused below like any other text
    raise _refused(AnswerProblem.WRONG_TYPE, f"{question.id} is answered with a date, yyyy-mm-dd")


def _read_text(question: QuestionText, raw: object) -> str:
    if not isinstance(raw, str):
        raise _refused(AnswerProblem.WRONG_TYPE, f"{question.id} is answered with text")
    # Looked at before the work of normalizing.
    if len(raw) > MAX_TEXT_LENGTH:
        raise _refused(AnswerProblem.TOO_LONG, f"{question.id} takes at most {MAX_TEXT_LENGTH:,} characters")
    return composed(raw).strip()


def _read_single_select(question: QuestionText, raw: object) -> AnswerValue:
    chosen = _read_options(question, raw)
    if len(chosen) > 1:
        raise _refused(AnswerProblem.TOO_MANY, f"{question.id} takes exactly one of its options")
    return chosen[0] if chosen else ()


def _read_multi_select(question: QuestionText, raw: object) -> tuple[str, ...]:
    chosen = _read_options(question, raw)
    if len(chosen) > 1:
        alone = next((option for option in chosen if option in question.exclusive_options), None)
        if alone is not None:
            raise _refused(
                AnswerProblem.EXCLUSIVE_OPTION,
                f"{question.id}: {shown(alone)} cannot be combined with other options",
            )
    return chosen


def _read_options(question: QuestionText, raw: object) -> tuple[str, ...]:
    """Return the chosen options, each once and in printed order, so that equal choices compare equal."""
    if isinstance(raw, str):
        return (_read_option(question, raw, where=""),)
    if not isinstance(raw, list | tuple):
        raise _refused(AnswerProblem.WRONG_TYPE, f"{question.id} is answered with the texts of its options")
    chosen: set[str] = set()
    problems: list[Problem] = []
    for index, item in enumerate(raw):
        try:
            chosen.add(_read_option(question, item, where=f"[{index}]"))
        except Unreadable as unreadable:
            problems.extend(unreadable.problems)
    if problems:
        raise Unreadable(problems)
    return tuple(sorted(chosen, key=question.places.__getitem__))


def _read_option(question: QuestionText, item: object, *, where: str) -> str:
    if not isinstance(item, str):
        raise _refused(
            AnswerProblem.WRONG_TYPE, f"{question.id} is answered with the texts of its options", where=where
        )
    # Nearly every answer is an option to the letter; the rest gets a second look, if it can be one at all.
    option = item if item in question.places or len(item) > MAX_OPTION_LENGTH else composed(item).strip()
    if option not in question.places:
        message = f"{shown(item)} is not an option of {question.id}; {_hint(question, option)}"
        raise _refused(AnswerProblem.NOT_AN_OPTION, message, where=where)
    return option


def _hint(question: QuestionText, option: str) -> str:
    """Return the option that differs in letter case and punctuation alone, else the first options."""
    meant = question.option_of_letters(option) if len(option) <= MAX_OPTION_LENGTH else None
    return f"did you mean `{meant}`?" if meant is not None else f"the options are {question.listed_options}"


def _check_range(question: QuestionText, number: int | Decimal) -> None:
    if question.minimum is not None and number < question.minimum:
        raise _refused(AnswerProblem.OUT_OF_RANGE, f"{question.id} is at least {question.minimum:,}")
    if number > MAX_NUMBER:
        raise _refused(AnswerProblem.OUT_OF_RANGE, f"{question.id} is at most {MAX_NUMBER:,}")


def _refused(code: AnswerProblem, message: str, *, where: str = "") -> Unreadable:
    return Unreadable([Problem(where, code, message)])


_READERS: Final[Mapping[QuestionType, Callable[[QuestionText, object], AnswerValue]]] = {
    QuestionType.BOOLEAN: _read_boolean,
    QuestionType.NUMERIC: _read_number,
    QuestionType.AMOUNT: _read_amount,
    QuestionType.DATE: _read_date,
    QuestionType.FREE_TEXT: _read_text,
    QuestionType.SINGLE_SELECT: _read_single_select,
    QuestionType.MULTI_SELECT: _read_multi_select,
}
