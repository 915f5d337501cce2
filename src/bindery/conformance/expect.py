"""What can be expected of an answer."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from bindery.conformance.row import Day, Known, PlayedAnswer

MISSING: Final = object()
ERROR: Final = 400
LONGEST_SHOWN: Final = 120
STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+|\*)\]")


@dataclass(frozen=True, slots=True)
class Must:
    words: str
    holds: Callable[[Any, Known], bool]


@dataclass(frozen=True, slots=True)
class Status:
    code: int

    @property
    def words(self) -> str:
        return f"status {self.code}"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:  # noqa: ARG002 - as all checks are asked
        if answer.status == self.code:
            return ""
        said = answer.text if answer.status >= ERROR else ""
        return f"answered {answer.status}, not {self.code}{': ' if said else ''}{said}"


@dataclass(frozen=True, slots=True)
class AtPath:
    """A place in the body, and what is there; `[*]` stands for every item of a list."""

    path: str
    must: Must
    optional: bool = False

    @property
    def words(self) -> str:
        return f"{self.path} {'absent or ' if self.optional else ''}{self.must.words}"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:
        found = [*values_at(self.path, answer.json)]
        for value in found or [MISSING]:
            if value is MISSING:
                if not self.optional:
                    return f"{self.path} is missing"
            elif not self.must.holds(value, known):
                return f"{self.path} is {_shown(value)}, not {self.must.words}"
        return ""


@dataclass(frozen=True, slots=True)
class Header:
    name: str
    must: Must

    @property
    def words(self) -> str:
        return f"header {self.name} {self.must.words}"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:
        value = answer.headers.get(self.name.lower())
        if value is None:
            return f"header {self.name} is missing"
        return "" if self.must.holds(value, known) else f"header {self.name} is {_shown(value)}"


@dataclass(frozen=True, slots=True)
class Begins:
    """How the body begins, whatever it is."""

    with_: bytes = b""

    @property
    def words(self) -> str:
        return f"a body that begins with {self.with_.decode()}" if self.with_ else "a body"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:  # noqa: ARG002 - as all checks are asked
        if not answer.body:
            return "the body is empty"
        return "" if answer.body.startswith(self.with_) else f"the body begins with {answer.body[:8]!r}"


@dataclass(frozen=True, slots=True)
class Within:
    seconds: int

    @property
    def words(self) -> str:
        return f"within {self.seconds} seconds"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:  # noqa: ARG002 - as all checks are asked
        return "" if answer.took_s <= self.seconds else f"took {answer.took_s:.1f} s, not {self.words}"


@dataclass(frozen=True, slots=True)
class Signed:
    @property
    def words(self) -> str:
        return "signed with the secret"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:  # noqa: ARG002 - as all checks are asked
        return answer.flaw


@dataclass(frozen=True, slots=True)
class SumsUp:
    """A total is what it is made of."""

    total: str
    parts: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{self.total} = the sum of {', '.join(self.parts)}"

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:  # noqa: ARG002 - as all checks are asked
        parts = [value for path in self.parts for value in values_at(path, answer.json)]
        (total,) = [*values_at(self.total, answer.json)] or [MISSING]
        if not all(_is_number(value) for value in (total, *parts)):
            return f"{self.words}: not all of them are numbers"
        cents = round(total * 100) - sum(round(value * 100) for value in parts)
        return "" if not cents else f"{self.words} is off by {cents / 100:,.2f}"


def values_at(path: str, value: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Find the values at a path; `MISSING` stands for one that is not there."""
    steps = STEP.findall(path)
    values = [value]
    for name, index in steps:
        values = [inner for outer in values for inner in _inner(outer, name, index)]
    yield from values


def _inner(value: Any, name: str, index: str) -> list[Any]:  # noqa: ANN401 - JSON
    if name:
        return [value.get(name, MISSING) if isinstance(value, dict) else MISSING]
    if not isinstance(value, list):
        return [MISSING]
    if index == "*":
        return value
    return [value[int(index)] if int(index) < len(value) else MISSING]


def _shown(value: Any) -> str:  # noqa: ANN401 - JSON
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _is_number(value: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_day(value: Any) -> bool:  # noqa: ANN401 - JSON
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def equals(expected: Any) -> Must:  # noqa: ANN401 - JSON
    words = _shown(expected)
    return Must(
        words, lambda value, _: value == expected and isinstance(value, bool) == isinstance(expected, bool)
    )


def same_as(name: str, words: str) -> Must:
    return Must(words, lambda value, known: name in known and value == known[name])


def one_of(*allowed: Any) -> Must:  # noqa: ANN401 - JSON
    return Must(f"one of {', '.join(map(str, allowed))}", lambda value, _: value in allowed)


def null_or(must: Must) -> Must:
    return Must(f"null or {must.words}", lambda value, known: value is None or must.holds(value, known))


def holding(*wanted: str) -> Must:
    return Must(
        f"a text with {' and '.join(wanted)}",
        lambda value, _: isinstance(value, str) and all(word in value.lower() for word in wanted),
    )


def items(fewest: int, most: int | None = None) -> Must:
    words = (
        f"a list of {fewest}" if most == fewest else f"a list of at least {fewest}" if fewest else "a list"
    )
    return Must(
        words,
        lambda value, _: (
            isinstance(value, list) and fewest <= len(value) and (most is None or len(value) <= most)
        ),
    )


def at_day(day: Day, words: str) -> Must:
    return Must(words, lambda value, known: value == day.on(date.fromisoformat(known["today"])).isoformat())


def with_one(name: str, must: Must) -> Must:
    return Must(
        f"a list with one whose {name} is {must.words}",
        lambda value, known: (
            isinstance(value, list)
            and any(must.holds(inner.get(name), known) for inner in value if isinstance(inner, dict))
        ),
    )


TEXT: Final = Must("a text", lambda value, _: isinstance(value, str))
SOME_TEXT: Final = Must("a text that is not empty", lambda value, _: isinstance(value, str) and value != "")
WHOLE: Final = Must("a whole number", lambda value, _: isinstance(value, int) and not isinstance(value, bool))
NUMBER: Final = Must("a number", lambda value, _: _is_number(value))
BOOLEAN: Final = Must("true or false", lambda value, _: isinstance(value, bool))
DAY: Final = Must("a date as yyyy-mm-dd", lambda value, _: _is_day(value))
OBJECT: Final = Must("an object", lambda value, _: isinstance(value, dict))
NULL: Final = Must("null", lambda value, _: value is None)
