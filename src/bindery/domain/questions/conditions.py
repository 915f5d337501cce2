"""When a question is required: a small tree, read from data and evaluated over the answers that count."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from bindery.domain.applicant.risk import AnswerValue, Term, bare_id


@dataclass(frozen=True, slots=True)
class QuestionContext:
    revenue: int
    term: Term


@dataclass(frozen=True, slots=True)
class Facts:
    """The answers that count so far, by bare id, none of them empty, and the other facts of a condition."""

    answers: Mapping[str, AnswerValue]
    circumstances: QuestionContext

    def chosen(self, question: str) -> tuple[str, ...]:
        value = self.answers.get(question)
        if isinstance(value, tuple):
            return value
        return (value,) if isinstance(value, str) else ()


# Each class evaluates itself: a request evaluates dozens, and one `match` over all took four times as long.


@dataclass(frozen=True, slots=True)
class Always:
    def holds(self, _facts: Facts) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple["Condition", ...]

    def holds(self, facts: Facts) -> bool:
        for part in self.parts:  # noqa: SIM110 - a generator costs more than the parts themselves
            if not part.holds(facts):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple["Condition", ...]

    def holds(self, facts: Facts) -> bool:
        return any(part.holds(facts) for part in self.parts)


@dataclass(frozen=True, slots=True)
class RevenueAtLeast:
    bound: int

    def holds(self, facts: Facts) -> bool:
        return facts.circumstances.revenue >= self.bound


@dataclass(frozen=True, slots=True)
class PriorActsAsked:
    def holds(self, facts: Facts) -> bool:
        return facts.circumstances.term.reaches_back


@dataclass(frozen=True, slots=True)
class AnswerIs:
    question: str
    value: bool | str

    def holds(self, facts: Facts) -> bool:
        return facts.answers.get(self.question) == self.value


@dataclass(frozen=True, slots=True)
class ChoseAnyOf:
    question: str
    options: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        return any(option in self.options for option in facts.chosen(self.question))


@dataclass(frozen=True, slots=True)
class ChoseNoneOf:
    """Holds when the question was answered, and with other options than these."""

    question: str
    options: tuple[str, ...]

    def holds(self, facts: Facts) -> bool:
        chosen = facts.chosen(self.question)
        return bool(chosen) and not any(option in self.options for option in chosen)


@dataclass(frozen=True, slots=True)
class Answered:
    question: str

    def holds(self, facts: Facts) -> bool:
        return self.question in facts.answers


ConditionOnAnswer = AnswerIs | ChoseAnyOf | ChoseNoneOf | Answered
Condition = Always | All | Either | RevenueAtLeast | PriorActsAsked | ConditionOnAnswer

OptionsOfKind = Mapping[tuple[str, str], tuple[str, ...]]
"""The options of a question, by its bare id, that are products of one kind."""


def read_condition(  # noqa: C901, PLR0911 - one return for each form a condition has
    data: object, options_of_kind: OptionsOfKind
) -> Condition:
    """Read a condition from its data form.

    `of_kind` is short for `any_of` with every option of that kind, so that a new product joins by itself.

    Raises:
        ValueError: the data has no such form.
    """
    match data:
        case {"always": True, **other} if not other:
            return Always()
        case {"all": [*parts], **other} if not other:
            return All(tuple(read_condition(part, options_of_kind) for part in parts))
        case {"any": [*parts], **other} if not other:
            return Either(tuple(read_condition(part, options_of_kind) for part in parts))
        case {"revenue": {"at_least": int(bound), **unknown}, **other} if not (unknown or other):
            return RevenueAtLeast(bound)
        case {"prior_acts_asked": True, **other} if not other:
            return PriorActsAsked()
        case {"answer": str(question), "is": bool() | str() as value, **other} if not other:
            return AnswerIs(bare_id(question), value)
        case {"answer": str(question), "any_of": [*options], **other} if not other:
            return ChoseAnyOf(bare_id(question), _texts(options))
        case {"answer": str(question), "none_of": [*options], **other} if not other:
            return ChoseNoneOf(bare_id(question), _texts(options))
        case {"answer": str(question), "of_kind": str(kind), **other} if not other:
            return ChoseAnyOf(bare_id(question), options_of_kind.get((bare_id(question), kind), ()))
        case {"answer": str(question), "answered": True, **other} if not other:
            return Answered(bare_id(question))
        case _:
            raise ValueError(f"no condition has the form {data!r}")


def conditions_on_answers(condition: Condition) -> Iterator[ConditionOnAnswer]:
    match condition:
        case All(parts) | Either(parts):
            for part in parts:
                yield from conditions_on_answers(part)
        case AnswerIs() | ChoseAnyOf() | ChoseNoneOf() | Answered():
            yield condition
        case Always() | RevenueAtLeast() | PriorActsAsked():
            return
        case _:
            assert_never(condition)


def _texts(options: list[object]) -> tuple[str, ...]:
    if not all(isinstance(option, str) for option in options):
        raise ValueError(f"options are texts, not {options!r}")
    return tuple(str(option) for option in options)
