"""Links by which a client reads a proposal, answers questions or signs: their purposes and their ends."""

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from bindery.base.errors import BinderyError, InvalidRequest, Problem
from bindery.contract.event_details import EventDetails
from bindery.domain.submission.checks import is_email
from bindery.domain.text import flaws_of_lines, unseen_character

TOKEN_BYTES: Final = 32
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
LASTS: Final = timedelta(days=30)
ENDED_KEPT_FOR: Final = timedelta(days=90)
"""How long links are kept that ended without the client having done anything."""
MOST_LINKS_A_DAY: Final = 20
"""Links of one quote or draft: each is a mail to somebody who did not ask for it."""
LONGEST_NAME: Final = 255
LONGEST_MESSAGE: Final = 1_000
LONGEST_SAID: Final = 2_000
LONGEST_AGENT: Final = 300

TRIES_COUNT_FOR: Final = timedelta(minutes=15)
MOST_OPENINGS_OF_A_LINK: Final = 200
MOST_OPENINGS_OF_AN_ADDRESS: Final = 600
MOST_MISSES_OF_AN_ADDRESS: Final = 30
MOST_CODES_OF_A_LINK: Final = 5
MOST_CODES_OF_AN_ADDRESS: Final = 20
MOST_TRIES_OF_AN_ADDRESS: Final = 30


class LinkPurpose(StrEnum):
    PROPOSAL = "proposal"
    SIGNATURE = "signature"
    ANSWERS = "answers"


class LinkStatus(StrEnum):
    SENT = "sent"
    OPENED = "opened"
    SIGNED = "signed"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    REVOKED = "revoked"


WAITING: Final = (LinkStatus.SENT, LinkStatus.OPENED)
MOVES: Final[Mapping[LinkStatus, tuple[LinkStatus, ...]]] = {
    LinkStatus.OPENED: (LinkStatus.SENT,),
    LinkStatus.SIGNED: WAITING,
    LinkStatus.ANSWERED: WAITING,
    LinkStatus.DECLINED: WAITING,
    LinkStatus.EXPIRED: WAITING,
    LinkStatus.REVOKED: WAITING,
}
"""From where each status can be reached; whatever is not waiting stays as it is."""


class LinkEnded(BinderyError):
    """The link has ended, was taken back, or never was one: nobody can tell which."""

    code = "link_ended"

    def __init__(self) -> None:
        super().__init__(
            "This link does not work: it has ended, was taken back, or was not copied whole. "
            "Ask whoever sent it for a new one."
        )


class TooManyTries(BinderyError):
    """Too much was tried with a link, or from an address."""

    code = "too_many_tries"

    def __init__(self, what: str) -> None:
        minutes = int(TRIES_COUNT_FOR.total_seconds()) // 60
        super().__init__(f"{what} Please try again in {minutes} minutes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientLink:
    """`option_ids` are the options of a proposal; `quote_id` is the recommended one, or the one chosen."""

    link_id: uuid.UUID
    partner_id: int
    purpose: LinkPurpose
    status: LinkStatus
    quote_id: uuid.UUID | None
    option_ids: tuple[uuid.UUID, ...]
    draft_id: uuid.UUID | None
    email: str
    name: str | None
    message: str
    asked: tuple[str, ...]
    answers: str | None
    created_at: datetime
    created_by: str
    broker_email: str
    expires_at: datetime
    openings: int
    opened_at: datetime | None
    chosen_at: datetime | None
    settled_at: datetime | None
    said: str | None
    taken_at: datetime | None = None
    taken_by: str | None = None

    @property
    def is_waiting(self) -> bool:
        return self.status in WAITING

    @property
    def subject(self) -> uuid.UUID:
        """Return the option to be signed; only a link that asks the questions of a draft has none."""
        assert self.quote_id is not None, "a link to sign is about an option"
        return self.quote_id

    @property
    def recommended(self) -> uuid.UUID | None:
        """Return the option of a proposal that the broker recommends, whichever the client chose."""
        return next(iter(self.option_ids), None)

    @property
    def actor(self) -> str:
        return f"client {self.email}"

    @property
    def client(self) -> str:
        """Return whom the link is for, by name if there is one."""
        return self.name or self.email

    @property
    def typist(self) -> str:
        """Return who typed the answers, as a draft names those who typed its fields."""
        return f"{self.client} <{self.email}>"

    def status_at(self, now: datetime) -> LinkStatus:
        """Return the status by the clock, whether or not a sweep has come by."""
        return LinkStatus.EXPIRED if self.is_waiting and self.expires_at <= now else self.status

    def works_at(self, now: datetime) -> bool:
        """Whether the client still gets in: to sign, or to see what was signed or sent back."""
        return self.expires_at > now and self.status not in {LinkStatus.EXPIRED, LinkStatus.REVOKED}


def why_settled(link: ClientLink) -> InvalidRequest | LinkEnded:
    """Return why a link that is settled takes nothing more."""
    said = {
        LinkStatus.SIGNED: "The application was signed already.",
        LinkStatus.DECLINED: "The application was sent back to the broker already.",
        LinkStatus.ANSWERED: "The questions were answered already.",
    }.get(link.status)
    return LinkEnded() if said is None else InvalidRequest(said, code="already_settled")


class LinkNoted(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps of a step that no partner is told of."""

    signature_request_id: str
    purpose: LinkPurpose
    email: str


def noted(link: ClientLink) -> LinkNoted:
    return LinkNoted(signature_request_id=str(link.link_id), purpose=link.purpose, email=link.email)


def hash_of_token(token: str) -> bytes | None:
    """Return the hash by which a link is found; None for what cannot be a token."""
    return hashlib.sha256(token.encode()).digest() if _TOKEN.fullmatch(token) else None


def owner_of_token(link_id: uuid.UUID) -> str:
    """Return the name that the token of a link is sealed with."""
    return f"client link {link_id}"


def ends_at(now: datetime, last_day: date | None, zone: ZoneInfo) -> datetime:
    """Return when a link ends: after 30 days, or with the last day of what it is about."""
    end = now + LASTS
    if last_day is None:
        return end
    midnight = datetime.combine(last_day + timedelta(days=1), time.min, zone)
    return min(end, midnight.astimezone(now.tzinfo))


def problems_of_recipient(email: str, name: str | None, message: str) -> Iterator[Problem]:
    if not is_email(email):
        yield Problem("email", "not_an_email", "must be an email address")
    if name is not None:
        yield from problems_of_line(name, "name")
    yield from flaws_of_lines(message, "message", longest=LONGEST_MESSAGE)


def problems_of_line(text: str, path: str) -> Iterator[Problem]:
    if not text.strip():
        yield Problem(path, "required", "is required")
    if len(text) > LONGEST_NAME:
        yield Problem(path, "too_long", f"must have at most {LONGEST_NAME} characters")
    if (character := unseen_character(text)) is not None:
        yield Problem(path, "bad_character", f"must not contain the character {character}")
