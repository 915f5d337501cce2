"""The questions as a form shows them: by section, a conditional one under the question that opens it."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final, assert_never

from bindery.contract.questions import QuestionType
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.questions.conditions import (
    All,
    Always,
    Answered,
    AnswerIs,
    ChoseAnyOf,
    ChoseNoneOf,
    Condition,
    Either,
    Facts,
    PriorActsAsked,
    QuestionContext,
    RevenueAtLeast,
    conditions_on_answers,
)
from bindery.domain.questions.question import CHOICES, QuestionSet, QuestionText

ANY_TEXT: Final = ""
"""Stands for any answer at all to a question that is not a choice."""
TRUTHS: Final = ("true", "false")

Opening = Mapping[str, frozenset[str]]
"""The answers that open a question, as a form sends them, by the bare ids of the questions they belong to."""


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Questions that the same answers open; without `opened_by`, only an evaluation can tell."""

    opened_by: Opening
    asked: tuple["AskedQuestion", ...]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    question: QuestionText
    follow_ups: tuple[FollowUps, ...] = ()

    def __iter__(self) -> Iterator[QuestionText]:
        """Yield the question and everything under it."""
        yield self.question
        for group in self.follow_ups:
            for asked in group.asked:
                yield from asked


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    asked: tuple[AskedQuestion, ...]

    def __iter__(self) -> Iterator[QuestionText]:
        for asked in self.asked:
            yield from asked


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a question stands: its cause, if any, what opens it, and all that holds once it is asked."""

    cause: str | None
    opened_by: Opening
    holds: frozenset[Condition]


def lay_out(questions: QuestionSet, circumstances: QuestionContext) -> tuple[Section, ...]:
    """Return the sections; questions that revenue or dates rule out are left out."""
    reached = tuple(bound for bound in _revenue_bounds(questions) if circumstances.revenue >= bound)
    return _lay_out(questions, max(reached, default=0), circumstances.term.reaches_back)


def part_of(sections: Iterable[Section], wanted: Container[str]) -> tuple[Section, ...]:
    """Return the wanted questions in their sections, each with everything under it, by bare id."""
    parts = (Section(section.title, tuple(_wanted(section.asked, wanted))) for section in sections)
    return tuple(part for part in parts if part.asked)


def _wanted(asked: Iterable[AskedQuestion], wanted: Container[str]) -> Iterator[AskedQuestion]:
    for each in asked:
        if each.question.bare_id in wanted:
            yield each
        else:
            for group in each.follow_ups:
                yield from _wanted(group.asked, wanted)


@lru_cache(maxsize=128)
def _revenue_bounds(questions: QuestionSet) -> frozenset[int]:
    def bounds(condition: Condition) -> Iterator[int]:
        match condition:
            case All(parts) | Either(parts):
                for part in parts:
                    yield from bounds(part)
            case RevenueAtLeast(bound):
                yield bound
            case _:
                return

    return frozenset(bound for question in questions for bound in bounds(question.required_when))


@lru_cache(maxsize=128)
def _lay_out(questions: QuestionSet, revenue: int, reaches_back: bool) -> tuple[Section, ...]:
    term = Term(date.min, date.max, FULL_PRIOR_ACTS if reaches_back else None)
    circumstances = QuestionContext(revenue, term)
    places: dict[str, _Place] = {}
    for question in questions:
        condition = _left(question.required_when, circumstances, places)
        if condition is not None:
            places[question.bare_id] = _place(condition, questions, places)
    tops: dict[str, list[AskedQuestion]] = {}
    for question in questions:
        place = places.get(question.bare_id)
        if place is not None and place.cause is None:
            tops.setdefault(question.section, []).append(_asked(question, questions, places))
    return tuple(Section(title, tuple(asked)) for title, asked in tops.items())


def _left(condition: Condition, circumstances: QuestionContext, asked: Container[str]) -> Condition | None:
    """Return what answers are left to decide; None if it never holds."""
    match condition:
        case All(parts):
            left = [_left(part, circumstances, asked) for part in parts]
            if None in left:
                return None
            return _joined(All, [part for part in left if part is not None and part != Always()], Always())
        case Either(parts):
            left = [_left(part, circumstances, asked) for part in parts]
            held = [part for part in left if part is not None]
            return Always() if Always() in held else _joined(Either, held, None)
        case AnswerIs() | ChoseAnyOf() | ChoseNoneOf() | Answered():
            # A question that is never asked has no answer.
            return condition if condition.question in asked else None
        case Always() | RevenueAtLeast() | PriorActsAsked():
            return Always() if condition.holds(Facts({}, circumstances)) else None
        case _:
            assert_never(condition)


def _joined(kind: type[All | Either], parts: list[Condition], of_none: Condition | None) -> Condition | None:
    if not parts:
        return of_none
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _place(condition: Condition, questions: QuestionSet, places: Mapping[str, _Place]) -> _Place:
    looked_at = {part.question for part in conditions_on_answers(condition)}
    if not looked_at:
        return _Place(None, {}, frozenset())
    cause = max(looked_at, key=list(places).index)
    conjuncts = frozenset(condition.parts if isinstance(condition, All) else (condition,))
    own = conjuncts - places[cause].holds
    opened_by = _opening(next(iter(own)), questions) if len(own) == 1 else None
    if opened_by is not None and len(opened_by) > 1 and any(places[name].cause for name in opened_by):
        opened_by = None
    return _Place(cause, opened_by or {}, conjuncts | places[cause].holds)


def _opening(condition: Condition, questions: QuestionSet) -> Opening | None:
    """Return the answers that each fulfill a condition on their own; None if single answers cannot tell."""
    if isinstance(condition, Either):
        merged: dict[str, frozenset[str]] = {}
        for part in condition.parts:
            found = _opening(part, questions)
            if found is None:
                return None
            for name, values in found.items():
                merged[name] = merged.get(name, frozenset()) | values
        return merged
    if isinstance(condition, AnswerIs | ChoseAnyOf | ChoseNoneOf | Answered):
        opening = _values(condition, questions.by_spelling[condition.question])
        return None if opening is None else {condition.question: opening}
    return None


def _values(
    condition: AnswerIs | ChoseAnyOf | ChoseNoneOf | Answered, question: QuestionText
) -> frozenset[str] | None:
    match condition:
        case AnswerIs(value=bool() as truth):
            return frozenset({TRUTHS[0] if truth else TRUTHS[1]})
        case AnswerIs(value=text):
            return frozenset({str(text)})
        case ChoseAnyOf(options=options):
            return frozenset(options)
        case ChoseNoneOf(options=options):
            stands_alone = question.type is QuestionType.SINGLE_SELECT or set(options) <= set(
                question.exclusive_options
            )
            return frozenset(question.places) - frozenset(options) if stands_alone else None
        case Answered():
            if question.type is QuestionType.BOOLEAN:
                return frozenset(TRUTHS)
            return frozenset(question.places) if question.type in CHOICES else frozenset({ANY_TEXT})


def _asked(question: QuestionText, questions: QuestionSet, places: Mapping[str, _Place]) -> AskedQuestion:
    groups: list[tuple[Opening, list[AskedQuestion]]] = []
    for follow_up in questions:
        place = places.get(follow_up.bare_id)
        if place is None or place.cause != question.bare_id:
            continue
        under = _asked(follow_up, questions, places)
        same = next((asked for opened_by, asked in groups if opened_by == place.opened_by != {}), None)
        if same is None:
            groups.append((place.opened_by, [under]))
        else:
            same.append(under)
    return AskedQuestion(question, tuple(FollowUps(by, tuple(asked)) for by, asked in groups))


def unsettled_questions(questions: QuestionSet, facts: Facts) -> frozenset[str]:
    """Return the bare ids of questions without an answer that are asked, or may come to be."""
    found: set[str] = set()
    for question in questions:
        if question.bare_id not in facts.answers and _may_hold(question.required_when, facts, found):
            found.add(question.bare_id)
    return frozenset(found)


def _may_hold(condition: Condition, facts: Facts, unsettled: Container[str]) -> bool:
    match condition:
        case All(parts):
            return all(_may_hold(part, facts, unsettled) for part in parts)
        case Either(parts):
            return any(_may_hold(part, facts, unsettled) for part in parts)
        case AnswerIs() | ChoseAnyOf() | ChoseNoneOf() | Answered():
            return condition.question in unsettled or condition.holds(facts)
        case _:
            return condition.holds(facts)
