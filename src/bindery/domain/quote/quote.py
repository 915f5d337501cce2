"""A quote, the entry of its journal for each step, and its items on the desk."""

import hashlib
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from bindery.contract.event_details import EventDetails
from bindery.contract.events import EVENT_DETAILS
from bindery.contract.quotes import QuoteReceipt
from bindery.contract.vocabulary import EventLevel, InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.quote.lifecycle import (
    AT_THE_DESK,
    NOT_READY,
    TAKES_PAPERS,
    UNDECIDING,
    WERE_BOUND,
    Trigger,
    find_move,
    may,
)

CREATE = "create"
"""The first entry of every journal has this instead of a trigger."""


@dataclass(frozen=True, slots=True)
class JournalState:
    """The counters of a quote's journal, without gaps, and the hash of its newest entry."""

    entries: int = 0
    hash: bytes = b""
    quote_events: int = 0
    policy_events: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
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
    reminders_sent: int = 0
    journal: JournalState = field(default_factory=JournalState)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One step of a quote, never changed; partners are notified of those with a `type`."""

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
    trigger: Trigger
    actor: str
    said: EventDetails | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """A quote with every change but that of its status, and the steps that change the status."""

    quote: Quote
    steps: tuple[Step, ...]

    @property
    def ends_at(self) -> QuoteStatus:
        status = self.quote.status
        for step in self.steps:
            status = find_move(status, step.trigger).target
        return status

    def then(self, trigger: Trigger, actor: str, said: EventDetails | None = None) -> "Walk":
        return Walk(self.quote, (*self.steps, Step(trigger, actor, said)))


def take(walk: Walk, *, at: datetime, new_id: Callable[[], uuid.UUID]) -> tuple[Quote, list[JournalEntry]]:
    """Take all steps of a walk; return the quote after them and the entries of its journal."""
    quote = walk.quote
    # An action that waited for the lock read the clock before it; times in a journal do not run backwards.
    at = max(at, quote.updated_at)
    status, journal, entries = quote.status, quote.journal, []
    for step in walk.steps:
        move = find_move(status, step.trigger)
        event = move.notifies
        level = event.level if event else None
        # The journal may keep details of any step, but an event for partners always has its own.
        assert event is None or type(step.said) is EVENT_DETAILS[event.type], "an event has details"
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
            type=event.type if event else None,
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
    return published_on + QUOTE_OPEN_FOR


def is_expired(last_day: date, *, today: date) -> bool:
    return last_day < today


def is_stale(quote: Quote, today: date, zone: ZoneInfo) -> bool:
    if quote.status is not QuoteStatus.QUOTE_REFERRED or quote.referred_at is None:
        return False
    return quote.referred_at < datetime.combine(today - REFERRAL_WAITS_FOR, time.min, zone)


_CHANGE_WHAT_WAITS: Final = frozenset(
    {
        Trigger.CHANGE_CONTINGENCIES,
        Trigger.REQUEST_CANCELLATION,
        Trigger.DECLINE_CANCELLATION,
        Trigger.REFER_CHANGE,
        Trigger.CHANGE_POLICY,
        Trigger.DECLINE_CHANGE,
        Trigger.WITHDRAW_CHANGE,
        Trigger.ASK_COLLEAGUE,
        Trigger.ANSWER_COLLEAGUE,
    }
)
"""Steps that change the desk without moving a status."""
_DECISIONS: Final = (Trigger.APPROVE_REFERRAL, Trigger.DECLINE, Trigger.CANCEL, Trigger.REINSTATE)
"""An approved bind could also be declined, so that its approval needs no entry."""


def are_decided_together(status: QuoteStatus, other: QuoteStatus) -> bool:
    """Whether quotes of these statuses are open to the same decisions, and to any at all."""
    mine, theirs = ([may(at, decision) for decision in _DECISIONS] for at in (status, other))
    return any(mine) and mine == theirs


def first_to_look_at(quotes: Sequence[Quote], with_papers: Collection[uuid.UUID]) -> Quote:
    """Return the quote with something waiting or an unsettled upload, else a policy, else the first."""
    waiting = [quote for quote in quotes if quote.status in AT_THE_DESK]
    waiting += [quote for quote in quotes if quote.quote_id in with_papers and quote.status in TAKES_PAPERS]
    policies = [quote for quote in quotes if quote.status in WERE_BOUND]
    return (*waiting, *policies, *quotes)[0]


def last_step(entries: Iterable[JournalEntry], quote_id: uuid.UUID) -> int:
    """Return the last entry that a decision depends on."""
    return max(
        (entry.entry for entry in entries if entry.quote_id == quote_id and entry.trigger not in UNDECIDING),
        default=0,
    )


def concerns_desk(walk: Walk) -> bool:
    """Whether a walk may change the items on the desk.

    A quote that is published straight from the pipeline does not: nothing was uploaded for it yet.
    """
    before, after = walk.quote.status, walk.ends_at
    if before in AT_THE_DESK or after in AT_THE_DESK:
        return True
    if any(step.trigger in _CHANGE_WHAT_WAITS for step in walk.steps):
        return True
    # An uploaded file waits no longer once nothing is left that it could be for, and again once there is.
    return before not in NOT_READY and (before in TAKES_PAPERS) != (after in TAKES_PAPERS)


def receipt_of(quote: Quote) -> QuoteReceipt:
    """Echo what was requested; null where nothing was."""
    return QuoteReceipt(
        quote_identifier=str(quote.quote_id),
        requested_aggregate_limit=quote.ask.aggregate_limit,
        requested_aggregate_retention=quote.ask.aggregate_retention,
        requested_per_claim_limit=quote.ask.per_claim_limit,
        requested_per_claim_retention=quote.ask.per_claim_retention,
    )
