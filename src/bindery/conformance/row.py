"""What a row is made of: the requests that lead to an answer, and what is expected of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias

import msgspec
from dateutil.relativedelta import relativedelta

Known: TypeAlias = Mapping[str, Any]
"""What earlier answers gave: identifiers above all."""

CLOCK: Final = "/demo/clock"
GIVEN: Final = "what the run was given"
"""Instead of an answer: the token."""
LEVERS: Final = "/demo/"
LONGEST_TEXT: Final = 300


class Auth(StrEnum):
    """With which token a request is sent."""

    GIVEN = "given"
    NONE = "none"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Day:
    """A date in a body: days from the service's today, then months, then days again."""

    days: int = 0
    months: int = 0
    then_days: int = 0

    def on(self, today: date) -> date:
        return today + timedelta(self.days) + relativedelta(months=self.months) + timedelta(self.then_days)


@dataclass(frozen=True, slots=True)
class Value:
    """A place in a body for what an earlier answer gave."""

    name: str
    as_number: bool = False


@dataclass(frozen=True, slots=True)
class Hook:
    """A place in a body for an address of the receiver."""

    name: str


@dataclass(frozen=True, slots=True)
class File:
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class HttpStep:
    """A request; `{name}` in its path stands for what an earlier answer gave.

    It is repeated for as long as the answer is 202, where it `waits`; and until `until` holds.
    """

    method: str
    path: str
    json: Any = None
    form: Mapping[str, Any] | None = None
    file: File | None = None
    raw: bytes | None = None
    content_type: str = ""
    auth: Auth = Auth.GIVEN
    name: str = ""
    keep: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False
    until: "Expectation | None" = None
    once: bool = False
    """Sent once in a run, and answered from memory after that."""

    @property
    def moves_clock(self) -> bool:
        return self.method == "POST" and self.path == CLOCK


@dataclass(frozen=True, slots=True)
class Delivery:
    """The next thing that arrives at a hook of ours and holds this text."""

    hook: str
    about: str = ""
    name: str = ""


Part: TypeAlias = HttpStep | Delivery


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the service is brought to where a row begins; all its steps succeed."""

    parts: tuple[Part, ...]
    after: str = ""


@dataclass(frozen=True, slots=True)
class PlayedAnswer:
    """An answer, or a delivery, as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    took_s: float = 0.0
    flaw: str = ""
    """Of a delivery: why its signature cannot be trusted."""

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the service wrote
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError:
            return None

    @property
    def text(self) -> str:
        """Return the beginning of the body, for a person."""
        text = self.body.decode(errors="replace")
        return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


class Expectation(Protocol):
    """What is expected of an answer."""

    @property
    def words(self) -> str:
        """Return it in words for a person."""

    def flaw(self, answer: PlayedAnswer, known: Known) -> str:
        """Return what is different; empty when it holds."""


@dataclass(frozen=True, slots=True)
class SpecRow:
    """A sentence of the specification, the request that asks about it, and what is expected.

    Without steps of its own it looks at the answer that its scene kept under the name `looks_at`. A row that
    changes what its scene made has it made anew.
    """

    id: str
    section: str
    sentence: str
    expect: tuple[Expectation, ...]
    scene: str = ""
    steps: tuple[Part, ...] = ()
    looks_at: str = ""
    alone: bool = False
    decision: bool = False

    @property
    def area(self) -> str:
        return self.id.partition(".")[0]


def json_text(value: Any, known: Known, today: date) -> bytes:  # noqa: ANN401 - a body with places in it
    return msgspec.json.encode(filled(value, known, today))


def filled(value: Any, known: Known, today: date) -> Any:  # noqa: ANN401 - as above
    """Return a body with its places filled.

    Raises:
        KeyError: an earlier answer did not give what is needed.
    """
    match value:
        case Day():
            return value.on(today).isoformat()
        case Value(name, as_number):
            return int(known[name]) if as_number else known[name]
        case Hook(name):
            return f"{known['endpoint']}{known['here']}-{name}"
        case Mapping():
            return {name: filled(inner, known, today) for name, inner in value.items()}
        case list() | tuple():
            return [filled(inner, known, today) for inner in value]
        case _:
            return value
