"""Reading all answers of a submission: given, counting, wrong and missing ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bindery.base.errors import Problem
from bindery.domain.applicant.risk import Answers, AnswerValue, bare_id
from bindery.domain.questions.conditions import Facts, QuestionContext
from bindery.domain.questions.question import QuestionSet, QuestionText
from bindery.domain.questions.values import AnswerProblem, RawValue, Unreadable, read_value, shown


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """The answers of a submission.

    `given` is every answer that could be read, by bare id. Only `counting`, the answers to required
    questions, has any effect. `missing` are the required questions without an answer, by their printed ids;
    each of them is among the `problems` too.
    """

    given: Mapping[str, AnswerValue]
    counting: Answers
    problems: tuple[Problem, ...]
    missing: tuple[str, ...]
    edition: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """The answers read one by one; `places` are their indexes in the request."""

    values: Mapping[str, AnswerValue]
    places: Mapping[str, int]
    problems: tuple[Problem, ...]


def read_answers(
    questions: QuestionSet,
    given: Sequence[tuple[str, RawValue]],
    circumstances: QuestionContext,
    *,
    places: Sequence[int] | None = None,
    unreadable: Collection[str] = (),
) -> AnswerSheet:
    """Read the answers and find everything that is wrong with them.

    Of a malformed request only some answers can be given here: `places` are their indexes in the request,
    and `unreadable` the ids of the others, which are not reported as missing as well.
    """
    reading = _read_each(questions, given, range(len(given)) if places is None else places)
    counting: dict[str, AnswerValue] = {}
    facts = Facts(counting, circumstances)
    problems = list(reading.problems)
    missing: list[QuestionText] = []
    # In listed order: a condition sees only answers that count, and `facts` grows with them.
    for question in questions.questions:
        if not question.required_when.holds(facts):
            continue
        value = reading.values.get(question.bare_id)
        if value is not None and value not in {"", ()}:
            counting[question.bare_id] = value
        elif question.bare_id in reading.values or question.bare_id not in reading.places:
            missing.append(question)
    if unreadable:
        reported = {bare_id(question_id) for question_id in unreadable}
        missing = [question for question in missing if question.bare_id not in reported]
    problems.extend(map(_missing, missing))
    return AnswerSheet(
        given=reading.values,
        counting=Answers(MappingProxyType(counting)),
        problems=tuple(problems),
        missing=tuple(question.id for question in missing),
        edition=questions.edition,
    )


def _read_each(
    questions: QuestionSet, given: Sequence[tuple[str, RawValue]], indexes: Sequence[int]
) -> _Reading:
    values: dict[str, AnswerValue] = {}
    places: dict[str, int] = {}
    problems: list[Problem] = []
    for index, (question_id, raw) in zip(indexes, given, strict=True):
        question = questions.by_spelling.get(question_id)
        if question is None:
            problems.append(_unknown(index, question_id, questions))
            continue
        first = places.setdefault(question.bare_id, index)
        try:
            value = read_value(question, raw)
        except Unreadable as unreadable:
            problems.extend(
                replace(problem, path=f"questions[{index}].value{problem.path}")
                for problem in unreadable.problems
            )
            continue
        # Both question tables have some of the questions: who fills in both answers those twice.
        if first == index:
            values[question.bare_id] = value
        elif values.get(question.bare_id) != value:
            problems.append(_duplicate(index, question, first=first))
    return _Reading(MappingProxyType(values), places, tuple(problems))


def _unknown(index: int, question_id: str, questions: QuestionSet) -> Problem:
    message = f"{shown(question_id)} is not a question of {questions.product}"
    return Problem(f"questions[{index}].id", AnswerProblem.UNKNOWN_QUESTION, message)


def _duplicate(index: int, question: QuestionText, *, first: int) -> Problem:
    message = f"{question.id} is answered differently in questions[{first}]"
    return Problem(f"questions[{index}].id", AnswerProblem.DUPLICATE_QUESTION, message)


def _missing(question: QuestionText) -> Problem:
    return Problem("questions", AnswerProblem.MISSING_ANSWER, f"{question.id} is required: {question.text}")
