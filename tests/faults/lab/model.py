"""What the service was asked and what it acknowledged, kept apart from the service and compared later."""

import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Any

REFUSALS_TO_TRY_AGAIN = frozenset({408, 409, 429})


class Outcome(StrEnum):
    """What is known of a request."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request that changes something, ready to be sent again as it is."""

    method: str = "POST"
    path: str
    key: str | None = None
    json: Any = None
    form: dict[str, str] | None = None
    file: bytes | None = None


@dataclass(kw_only=True)
class Effect:
    """One thing that was asked for; `lost` counts the tries whose outcome nobody told."""

    request: Request
    outcome: Outcome = Outcome.UNKNOWN
    sent_at: float = field(default_factory=time.monotonic)
    acknowledged_at: float | None = None
    lost: int = 0
    answer: dict[str, Any] = field(default_factory=dict)

    @property
    def is_acknowledged(self) -> bool:
        return self.outcome is Outcome.ACKNOWLEDGED

    def learn(self, status: int | None, answer: Any) -> None:
        """Take in an answer, or that there was none."""
        if status == 200:
            self.outcome, self.answer = Outcome.ACKNOWLEDGED, answer
            self.acknowledged_at = time.monotonic()
        elif status is None or status >= 500:
            self.lost += 1
        elif status not in REFUSALS_TO_TRY_AGAIN and (self.request.key is not None or not self.lost):
            # Without a key, a refusal may be the answer to a second try of what the first one did.
            self.outcome = Outcome.REFUSED


@dataclass(kw_only=True)
class Submission(Effect):
    """A create-quote request; the applicant's name is its mark and given once."""

    name: str
    options: int
    notices: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
    is_clean: bool = True

    @property
    def quotes(self) -> list[str]:
        """Return the identifiers of an acknowledged submission."""
        return [quote["quote_identifier"] for quote in self.answer.get("quotes", ())]


@dataclass(kw_only=True)
class Upload(Effect):
    """A file for a quote; no two have the same content."""

    quote: str
    sha256: str


@dataclass(kw_only=True)
class Bind(Effect):
    """A bind; an attested one issues the policy."""

    quote: str
    attested: bool


@dataclass(kw_only=True)
class Closing(Effect):
    """A decision that closes the last contingency of a conditional binder, and so issues the policy."""

    quote: str


@dataclass(kw_only=True)
class Pause(Effect):
    """A renewal that is not to bind automatically."""

    quote: str


@dataclass(kw_only=True)
class Hook(Effect):
    """An endpoint of our receiver, known by its path."""

    path: str


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A delivery whose signature was right."""

    path: str
    event_id: str
    type: str
    quote: str
    at: float


@dataclass
class Model:
    """Everything asked for and everything told, by kind."""

    submissions: list[Submission] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)
    binds: list[Bind] = field(default_factory=list)
    closings: list[Closing] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    bad_signatures: int = 0

    def by_kind(self) -> dict[str, Sequence[Effect]]:
        return {
            "submissions": self.submissions,
            "uploads": self.uploads,
            "binds": self.binds,
            "closings": self.closings,
            "pauses": self.pauses,
            "webhooks": self.hooks,
        }

    def effects(self) -> Iterator[Effect]:
        return chain(*self.by_kind().values())

    def binds_without_papers(self) -> set[str]:
        """Return the acknowledged binds whose papers nobody has told of yet."""
        told = {arrival.quote for arrival in self.arrivals if arrival.type == "policy.document_ready"}
        return {bind.quote for bind in self.binds if bind.is_acknowledged} - told


def new_key(chance_of_one: float, draw: float) -> str | None:
    """Return an idempotency key, or none for some requests: callers do not always send one."""
    return str(uuid.uuid4()) if draw < chance_of_one else None
