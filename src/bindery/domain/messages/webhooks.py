"""The rules of webhooks: when to try again, when to stop; `base/signatures.py` has the signatures."""

import random
import shlex
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.numbers import read_digits
from bindery.contract.event_details import EventDetails
from bindery.contract.events import PING, EventBody, FeedEvent
from bindery.contract.quote import TermChange
from bindery.contract.vocabulary import EventLevel, QuoteStatus
from bindery.contract.webhooks import WebhookRegistration

SECRET_BYTES: Final = 32
OVERLAP: Final = timedelta(hours=24)
"""How long a replaced secret also signs."""
MOST_SIGNATURES: Final = 5
"""However often a secret is replaced within a day, the header stays short."""

RETRY_WAITS: Final = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=4),
    timedelta(hours=8),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""The waits after each failed try: ten tries over three days."""
MOST_TRIES: Final = len(RETRY_WAITS) + 1
JITTER: Final = 0.1
"""Waits vary by this share, so that deliveries that failed together do not return together."""
LONGEST_RETRY_AFTER: Final = timedelta(hours=24)

IN_ORDER_FOR_TRIES: Final = 3
"""The next event of a quote waits until the one before was accepted, or has failed this often."""

DISABLE_AFTER: Final = timedelta(days=5)
GONE: Final = 410

ANSWER_SHOWN: Final = 2_048
"""How many characters of an endpoint's answer are kept for people to see."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The endpoint accepted it."""


@dataclass(frozen=True, slots=True)
class TryAgainAt:
    at: datetime


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It failed for the last time."""


@dataclass(frozen=True, slots=True)
class EndpointGone:
    """The endpoint says that it will never accept anything again."""


Verdict: TypeAlias = Delivered | TryAgainAt | GiveUp | EndpointGone


def is_success(status: int | None) -> bool:
    return status is not None and 200 <= status < 300  # noqa: PLR2004 - HTTP's successes


def judge_attempt(
    status: int | None, *, tries: int, at: datetime, retry_after: timedelta | None, rng: random.Random
) -> Verdict:
    if is_success(status):
        return Delivered()
    if status == GONE:
        return EndpointGone()
    if tries >= MOST_TRIES:
        return GiveUp()
    wait = RETRY_WAITS[tries - 1] * rng.uniform(1 - JITTER, 1 + JITTER)
    if retry_after is not None:
        wait = max(wait, min(retry_after, LONGEST_RETRY_AFTER))
    return TryAgainAt(at + wait)


def read_retry_after(text: str | None, *, real_now: datetime) -> timedelta | None:
    """Read a `Retry-After` header: seconds, or a date by the real clock; None when it says nothing."""
    if text is None:
        return None
    text = text.strip()
    seconds = read_digits(text)
    if seconds is not None:
        return timedelta(seconds=min(seconds, int(LONGEST_RETRY_AFTER.total_seconds())))
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(moment - real_now, timedelta())


def is_failing_for_good(failing_since: datetime, *, at: datetime) -> bool:
    return at - failing_since >= DISABLE_AFTER


def new_secret(rng: random.Random) -> bytes:
    return rng.randbytes(SECRET_BYTES)


def owner_name(partner_id: int) -> str:
    return f"partner {partner_id}"


def check_levels(registration: WebhookRegistration) -> None:
    if not registration.quote_level and not registration.policy_level:
        flaw = "must be true, or policy_level: the webhook would receive nothing"
        raise InvalidRequest.because([Problem("quote_level", "no_level", flaw)])


def endpoint_problems(
    endpoint: str, *, allow_http: bool, ports: Collection[int] | None = None
) -> list[Problem]:
    """Find problems of an endpoint before its name is looked up; without `ports` any will do."""
    if not endpoint.isprintable() or " " in endpoint:
        return [
            Problem("endpoint", "bad_endpoint", "must be an address without spaces or control characters")
        ]
    try:
        parts = urlsplit(endpoint)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if not has_host:
        return [Problem("endpoint", "bad_endpoint", "is not an address that names a host")]
    found = []
    allowed = ("https", "http") if allow_http else ("https",)
    if parts.scheme not in allowed:
        found.append(
            Problem(
                "endpoint", "bad_scheme", f"must begin with {' or '.join(f'{name}://' for name in allowed)}"
            )
        )
    elif ports is not None and host_and_port(endpoint)[1] not in ports:
        found.append(Problem("endpoint", "bad_port", f"must be on port {' or '.join(map(str, ports))}"))
    if parts.username is not None or parts.password is not None or parts.fragment:
        found.append(
            Problem("endpoint", "bad_endpoint", "must not contain a user name, a password or a fragment")
        )
    return found


def host_and_port(endpoint: str) -> tuple[str, int]:
    parts = urlsplit(endpoint)
    assert parts.hostname is not None, "an endpoint names a host"
    return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


class ReferralApproved(EventDetails, frozen=True, kw_only=True):
    """Journal details of an approval; partners are notified of the offer that follows."""

    reason: str
    premium: int | None
    breaches: list[str] | UnsetType = UNSET


class OptionAmended(EventDetails, frozen=True, kw_only=True):
    """Journal details of an amendment; partners are notified of what is published then."""

    reason: str
    premium: int | None
    changes: list[TermChange]
    breaches: list[str] | UnsetType = UNSET


class ColleagueAsked(EventDetails, frozen=True, kw_only=True):
    """Journal details of a decision that is beyond somebody's authority, and of who was asked for it."""

    decision: str
    to: str
    beyond: list[str]
    premium: int | None
    reason: str


class ColleagueAnswered(EventDetails, frozen=True, kw_only=True):
    """Journal details of the second person's answer; an approval is followed by the decision itself."""

    decision: str
    asked_by: str
    answer: str
    reason: str


FOR_THE_DESK: Final = frozenset({"breaches"})
"""Details that are for underwriters alone, wherever a journal is shown."""


class OptionOffered(EventDetails, frozen=True, kw_only=True):
    """Journal details of an underwriter's offer; partners are notified when it is open."""

    reason: str
    premium: int | None


class RenewalHeld(EventDetails, frozen=True, kw_only=True):
    """Journal details of a hold of a renewal, or of its end; partners are notified of the referral."""

    reason: str


class CancellationDeclined(EventDetails, frozen=True, kw_only=True):
    """Journal details of a decision to leave a policy in force."""

    reason: str


class ChangeReferred(EventDetails, frozen=True, kw_only=True):
    """Journal details of an accepted change on which an underwriter decides."""

    change_id: str
    effective: date
    reason: str
    reasons: list[str]


class ChangeWithdrawn(EventDetails, frozen=True, kw_only=True):
    """Journal details of a change that was taken back before anybody decided."""

    change_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    event_id: uuid.UUID
    type: str
    at: datetime
    quote_id: uuid.UUID
    company_id: int
    quote_status: QuoteStatus
    level: EventLevel
    sequence: int
    metadata: Mapping[str, Any] | None
    added: Mapping[str, Any]
    renews: uuid.UUID | None = None

    def data(self) -> dict[str, Any]:
        said: dict[str, Any] = {
            "quote_identifier": str(self.quote_id),
            "company_id": str(self.company_id),
            "quote_status": self.quote_status,
            "level": self.level,
            "sequence": self.sequence,
        }
        if self.renews is not None:
            said["renews"] = str(self.renews)
        if self.metadata:
            said["metadata"] = self.metadata
        return {**said, **{name: value for name, value in self.added.items() if name not in said}}


def feed_event(event: Event) -> FeedEvent:
    return FeedEvent(id=str(event.event_id), type=event.type, timestamp=event.at, data=event.data())


def delivery_body(event: Event) -> bytes:
    return msgspec.json.encode(EventBody(type=event.type, timestamp=event.at, data=event.data()))


def ping_body(webhook_id: uuid.UUID, *, at: datetime) -> bytes:
    return msgspec.json.encode(EventBody(type=PING, timestamp=at, data={"webhook_id": str(webhook_id)}))


def curl_line(endpoint: str, *, headers: Mapping[str, str], body: bytes) -> str:
    """Return the command that sends a delivery by hand, escaped for the shell."""
    words = ["curl", "-sS", "-X", "POST", shlex.quote(endpoint)]
    for name, value in headers.items():
        words += ["-H", shlex.quote(f"{name}: {value}")]
    return " ".join([*words, "--data-raw", shlex.quote(body.decode())])
