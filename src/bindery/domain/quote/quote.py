"""A quote as its deciders see it, and the entry its journal gets for each step."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from bindery.contract.events import EVENT_DETAILS, EventDetails
from bindery.contract.quotes import QuoteReceipt
from bindery.contract.vocabulary import EventLevel, InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.quote.lifecycle import Trigger, find_move

CREATE = "create"
"""What the first entry of every journal says instead of a trigger."""


@dataclass(frozen=True, slots=True)
class JournalState:
    """Where a quote's journal stands: counters without gaps, and the hash of the newest entry."""

    entries: int = 0
    hash: bytes = b""
    quote_events: int = 0
    policy_events: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One option of a submission, from request to the end of its policy."""

    quote_id: uuid.UUID
    submission_id: uuid.UUID
    company_id: int
    partner_id: int
    option_number: int
    product: InsuranceProduct
    status: QuoteStatus
    version: int
    created_at: datetime
    updated_at: datetime
    ask: OptionAsk
    terms: Terms | None = None
    premium: int | None = None
    expires_on: date | None = None
    referred_at: datetime | None = None
    error_occurred: bool = False
    red_flags_exist: bool = False
    assessment: str | None = None
    passed_over_for: uuid.UUID | None = None
    journal: JournalState = field(default_factory=JournalState)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One step of a quote, never changed; those with a `type` are told to partners."""

    quote_id: uuid.UUID
    entry: int
    event_id: uuid.UUID
    at: datetime
    actor: str
    trigger: str
    status_before: QuoteStatus | None = None
    status_after: QuoteStatus
    level: EventLevel | None = None
    sequence: int | None = None
    type: str | None = None
    data: str = "{}"
    previous_hash: bytes = b""

    def hash(self) -> bytes:
        """Bind the entry to the one before it, so that a change or a gap shows."""
        content = (
            str(self.quote_id),
            self.entry,
            str(self.event_id),
            int(self.at.timestamp() * 1_000_000),
            self.actor,
            self.trigger,
            self.status_before,
            self.status_after,
            self.level,
            self.sequence,
            self.type,
            self.data,
        )
        return hashlib.sha256(self.previous_hash + msgspec.json.encode(content)).digest()


def first_entry(quote: Quote, *, event_id: uuid.UUID, actor: str) -> JournalEntry:
    """Write the first entry of a quote's journal."""
    return JournalEntry(
        quote_id=quote.quote_id,
        entry=1,
        event_id=event_id,
        at=quote.created_at,
        actor=actor,
        trigger=CREATE,
        status_after=quote.status,
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A trigger to pull, who pulls it, and what the journal and the partner are told about it."""

    trigger: Trigger
    actor: str
    said: EventDetails | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """A quote with everything that changes about it but its status, and the steps that change that."""

    quote: Quote
    steps: tuple[Step, ...]

    @property
    def ends_at(self) -> QuoteStatus:
        """Return the status to which the steps lead.

        Raises:
            WrongState: one of them leads nowhere.
        """
        status = self.quote.status
        for step in self.steps:
            status = find_move(status, step.trigger).target
        return status

    def then(self, trigger: Trigger, actor: str, said: EventDetails | None = None) -> "Walk":
        """Return the walk with one step more."""
        return Walk(self.quote, (*self.steps, Step(trigger, actor, said)))


def take(walk: Walk, *, at: datetime, new_id: Callable[[], uuid.UUID]) -> tuple[Quote, list[JournalEntry]]:
    """Take all steps of a walk; return where the quote is then, and the entries of its journal.

    Raises:
        WrongState: a step leads nowhere from where it is taken.
    """
    quote = walk.quote
    # Whoever waited for the lock read the clock before it; times in a journal do not run backwards.
    at = max(at, quote.updated_at)
    status, journal, entries = quote.status, quote.journal, []
    for step in walk.steps:
        move = find_move(status, step.trigger)
        level = move.tells.level if move.tells else None
        # The journal may keep details of any step, but what partners are told always has its own.
        assert move.tells is None or type(step.said) is EVENT_DETAILS[move.tells.type], "an event has details"
        quote_events = journal.quote_events + (level is EventLevel.QUOTE)
        policy_events = journal.policy_events + (level is EventLevel.POLICY)
        counted = {EventLevel.QUOTE: quote_events, EventLevel.POLICY: policy_events}
        entry = JournalEntry(
            quote_id=quote.quote_id,
            entry=journal.entries + 1,
            event_id=new_id(),
            at=at,
            actor=step.actor,
            trigger=step.trigger,
            status_before=status,
            status_after=move.target,
            level=level,
            sequence=counted[level] if level else None,
            type=move.tells.type if move.tells else None,
            data=msgspec.json.encode({} if step.said is None else step.said).decode(),
            previous_hash=journal.hash,
        )
        entries.append(entry)
        status = move.target
        journal = JournalState(entry.entry, entry.hash(), quote_events, policy_events)
    return replace(quote, status=status, updated_at=at, journal=journal), entries


QUOTE_OPEN_FOR: Final = timedelta(days=60)
REFERRAL_WAITS_FOR: Final = timedelta(days=60)


def expires_on(published_on: date) -> date:
    """Return the last day on which a quote published that day can be bound."""
    return published_on + QUOTE_OPEN_FOR


def is_expired(last_day: date, *, today: date) -> bool:
    """Whether a quote's expiration date is in the past."""
    return last_day < today


def is_stale(quote: Quote, today: date, zone: ZoneInfo) -> bool:
    """Whether a referral has waited for so long that it cannot be decided any more."""
    if quote.status is not QuoteStatus.QUOTE_REFERRED or quote.referred_at is None:
        return False
    return quote.referred_at < datetime.combine(today - REFERRAL_WAITS_FOR, time.min, zone)


def receipt_of(quote: Quote) -> QuoteReceipt:
    """Echo what was requested; null where nothing was."""
    return QuoteReceipt(
        quote_identifier=str(quote.quote_id),
        requested_aggregate_limit=quote.ask.aggregate_limit,
        requested_aggregate_retention=quote.ask.aggregate_retention,
        requested_per_claim_limit=quote.ask.per_claim_limit,
        requested_per_claim_retention=quote.ask.per_claim_retention,
    )
