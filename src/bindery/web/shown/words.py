"""How figures, dates and statuses are written on every page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from bindery.base.errors import BinderyError, WrongState
from bindery.base.numbers import in_dollars, to_cents
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.products import all_products

S = QuoteStatus
NONE: Final = "—"
A_MINUTE: Final = timedelta(minutes=1)
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Tone(StrEnum):
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    PLAIN = "plain"


class StatusDot(StrEnum):
    """The dot before a status, whose shape and color tell its family; the value is its class in `app.css`."""

    OPEN = "open"
    WAIT = "wait"
    OVER = "over"
    WARN = "warn"
    BAD = "bad"
    RUN = "run"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class StatusWord:
    text: str
    tone: Tone
    dot: StatusDot
    meaning: str


_BEING_QUOTED: Final = StatusWord("Being quoted", Tone.PLAIN, StatusDot.RUN, "The quote is being worked out.")

STATUS_WORDS: Final[Mapping[QuoteStatus, StatusWord]] = {
    **dict.fromkeys(
        (
            S.CREATED,
            S.AQ_CREATED,
            S.CALCULATING,
            S.CALC_COMPLETED,
            S.ELIGIBLE,
            S.BROKER_CONFLICT_REFERRAL,
            S.COLLECTION_ISSUE,
            S.RED_FLAGS_FOUND,
            S.CALC_FAILED,
            S.AUTHORITY_FAILED,
            S.QUICK_SCAN_ERROR,
            S.MISSING_QUICK_SCAN,
            S.AQ_NOT_APPROVED,
        ),
        _BEING_QUOTED,
    ),
    S.PUBLISHED: StatusWord("Open", Tone.GOOD, StatusDot.OPEN, "The quote can be bound."),
    S.OFFER_EMAIL: StatusWord("Renewal offered", Tone.GOOD, StatusDot.OPEN, "The renewal can be bound."),
    S.QUOTE_REFERRED: StatusWord(
        "With an underwriter", Tone.WARN, StatusDot.WAIT, "An underwriter will decide on the quote."
    ),
    S.STALE: StatusWord(
        "Stale",
        Tone.PLAIN,
        StatusDot.OVER,
        "Nobody decided the referral within 60 days. Ask for a new quote.",
    ),
    S.QUOTE_DECLINED: StatusWord("Declined", Tone.BAD, StatusDot.BAD, "An underwriter declined it."),
    S.QUOTE_EXPIRED: StatusWord(
        "Expired", Tone.PLAIN, StatusDot.OVER, "The time to bind it has passed. Ask for a new quote."
    ),
    S.QUOTE_REVOKED: StatusWord("Revoked", Tone.PLAIN, StatusDot.OVER, "A newer submission took its place."),
    S.QUOTE_BIND_REQUESTED: StatusWord(
        "Bind requested", Tone.WARN, StatusDot.WAIT, "An underwriter will decide on the bind."
    ),
    S.QUOTE_NOT_BOUND: StatusWord("Not chosen", Tone.PLAIN, StatusDot.OVER, "Another option was bound."),
    S.POLICY_ACTIVE: StatusWord("In force", Tone.GOOD, StatusDot.BOUND, "The policy is in force."),
    S.POLICY_CANCELED: StatusWord("Canceled", Tone.BAD, StatusDot.OVER, "The policy was canceled."),
    S.POLICY_EXPIRED: StatusWord("Ended", Tone.PLAIN, StatusDot.OVER, "The policy's term is over."),
}

WAITS: Final = StatusWord("Waits", Tone.PLAIN, StatusDot.WAIT, "Another option was asked to be bound.")
"""Of an option that was passed over for a bind that an underwriter has not decided."""
LAPSED: Final = StatusWord("Lapsed", Tone.BAD, StatusDot.BAD, "The binder lapsed.")
WITHDRAWN: Final = StatusWord("Withdrawn", Tone.PLAIN, StatusDot.OVER, "It was withdrawn.")
_ISO_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")

PRODUCTS: Final[Mapping[InsuranceProduct, str]] = {
    record.product: record.short_title for record in all_products()
}


def product_name(product: str) -> str:
    return PRODUCTS[InsuranceProduct(product)]


def money(amount: int | None) -> str:
    return NONE if amount is None else in_dollars(amount)


Amounts = tuple[tuple[str, str], ...]
"""What a select field offers: each amount as its value, and in words."""


@lru_cache(maxsize=64)
def amounts_offered(amounts: tuple[int, ...]) -> Amounts:
    return tuple((str(amount), money(amount)) for amount in amounts)


def cents(amount: Decimal | float | None) -> str:
    return NONE if amount is None else f"${to_cents(Decimal(str(amount))):,}"


def day(on: date | None) -> str:
    return NONE if on is None else f"{MONTHS[on.month - 1]} {on.day}, {on.year}"


def day_of_year(on: date) -> str:
    return f"{MONTHS[on.month - 1]} {on.day}"


def american(text: str) -> str:
    """Write the dates of a sentence of the API as pages write them."""
    return _ISO_DATE.sub(lambda found: day(date.fromisoformat(found[0])), text)


def status_word(
    status: QuoteStatus,
    *,
    canceled_ahead: date | None = None,
    is_lapsed: bool = False,
    is_withdrawn: bool = False,
    binder_due: date | None = None,
    begins_ahead: date | None = None,
) -> StatusWord:
    """Return a status in words.

    `canceled_ahead` is the day of a cancellation that has not come yet, `binder_due` the last day of a
    binder that is not a policy yet, `begins_ahead` the first day of a policy that has not begun.
    """
    if canceled_ahead is not None:
        text = f"Canceled as of {day_of_year(canceled_ahead)}"
        return StatusWord(
            text, Tone.WARN, StatusDot.WARN, f"The policy is in force until {day(canceled_ahead)}."
        )
    if is_lapsed:
        return LAPSED
    if is_withdrawn:
        return WITHDRAWN
    if status is S.POLICY_ACTIVE and binder_due is not None:
        meaning = f"Everything needed has to come in by {day(binder_due)}, or the binder lapses."
        return StatusWord(f"Binder, due {day_of_year(binder_due)}", Tone.WARN, StatusDot.WARN, meaning)
    if status is S.POLICY_ACTIVE and begins_ahead is not None:
        meaning = f"The policy is issued; coverage begins on {day(begins_ahead)}."
        return StatusWord(f"Starts {day_of_year(begins_ahead)}", Tone.GOOD, StatusDot.BOUND, meaning)
    return STATUS_WORDS[status]


def moment(at: datetime, *, has_year: bool = False) -> str:
    """Return a moment, already in the business zone, as Dec 15, 2:05 PM, or Dec 15, 2025, 2:05 PM."""
    hour = at.hour % 12 or 12
    half = "AM" if at.hour < 12 else "PM"  # noqa: PLR2004 - noon
    on = day(at) if has_year else f"{MONTHS[at.month - 1]} {at.day}"
    return f"{on}, {hour}:{at.minute:02} {half}"


def seconds(gone: timedelta) -> str:
    """Return a short time to the millisecond, as 12.3 s or 0.004 s; a longer one in minutes and more."""
    if gone >= A_MINUTE:
        return ago(gone)
    passed = gone.total_seconds()
    return f"{passed:.1f} s" if passed >= 1 else f"{passed:.3f} s"


def ago(gone: timedelta) -> str:
    minutes = int(gone.total_seconds()) // 60
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:  # noqa: PLR2004 - minutes of an hour
        return counted(minutes, "minute")
    if minutes < 48 * 60:
        return counted(minutes // 60, "hour")
    return counted(minutes // (24 * 60), "day")


def counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class Moment(msgspec.Struct, frozen=True):
    """A moment as a page shows it; a `Struct`, of which a list makes a hundred in a fifth of the time."""

    text: str
    full: str
    iso: str


def refusal_in_words(fault: BinderyError) -> str:
    """Return the message of a refusal, with the status of a quote named as pages name it."""
    if not isinstance(fault, WrongState) or fault.status not in set(QuoteStatus):
        return fault.message
    word = STATUS_WORDS[QuoteStatus(fault.status)].text
    return re.sub(rf"\b{re.escape(fault.status)}\b", f"“{word}”", fault.message, count=1)


TWO_DIGITS: Final = tuple(f"{number:02}" for number in range(60))
"""Looked up, which takes a third of the time of formatting: the queue shows a hundred moments."""


@dataclass(frozen=True, slots=True)
class Times:
    zone: ZoneInfo
    now: datetime

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    @property
    def zone_name(self) -> str:
        """Return the zone as a page names it once, for moments of summer and winter alike."""
        names = (self.zone_at(datetime(self.now.year, month, 1, tzinfo=UTC)) for month in (1, 7))
        return "/".join(dict.fromkeys(names))

    def zone_at(self, when: datetime) -> str:
        return when.astimezone(self.zone).tzname() or str(self.zone)

    def at(self, when: datetime) -> Moment:
        here = when.astimezone(self.zone)
        text = moment(here, has_year=here.year != self.today.year)
        return Moment(text, *_written(self.zone, when, when.tzinfo))

    def to_the_second(self, when: datetime) -> Moment:
        here = when.astimezone(self.zone)
        return self.named(re.sub(r"(:\d\d) ", rf"\1:{TWO_DIGITS[here.second]} ", self.at(when).text), when)

    def on(self, when: datetime) -> Moment:
        return self.named(day(when.astimezone(self.zone)), when)

    def since(self, when: datetime) -> Moment:
        return self.named(ago(max(self.now - when, timedelta())), when)

    def until(self, when: datetime) -> Moment:
        if timedelta() <= self.now - when < A_MINUTE:
            return self.named("now", when)
        if when < self.now:
            return self.named(f"late by {ago(self.now - when)}", when)
        return self.named(f"in {ago(when - self.now)}", when)

    def named(self, text: str, when: datetime) -> Moment:
        """Return a moment under another text, such as how long ago it was."""
        return Moment(text, *_written(self.zone, when, when.tzinfo))


@lru_cache(maxsize=2048)
def _written(zone: ZoneInfo, when: datetime, _of: tzinfo | None) -> tuple[str, str]:
    """Return a moment in full, for people and for programs: the same every time that a page shows it.

    The same moment of two zones is equal, and programs read it in its own: the zone is a part of the key.
    """
    here = when.astimezone(zone)
    clock = f"{TWO_DIGITS[here.hour]}:{TWO_DIGITS[here.minute]}:{TWO_DIGITS[here.second]}"
    return f"{day(here)}, {clock} {here.tzname()}", when.isoformat()
