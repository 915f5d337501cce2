"""A company in a row: where it stands, what it costs, and what comes next and by when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.standing import CompanyStanding
from bindery.storage.lists.company_lines import CompanyLine
from bindery.web.shown.words import NONE, STATUS_WORDS, Times, counted, day, day_of_year, product_name

S = QuoteStatus
MOST_COUNTED: Final = 100
WITHOUT_YEAR: Final = timedelta(days=180)
"""Days that are nearer than this are clear without their year."""
LATE_FROM: Final = 3
SOON_FROM: Final = 14
"""Days left from which a date is red, and from which it is amber."""
NOTED_WITHIN: Final = 30
"""Days left from which their number stands by a date."""

CHIPS: Final[Mapping[CompanyStanding, str]] = {
    CompanyStanding.OPEN: "Open",
    CompanyStanding.REFERRED: "With an underwriter",
    CompanyStanding.BIND_REQUESTED: "Bind requested",
    CompanyStanding.BINDER: "Binder",
    CompanyStanding.IN_FORCE: "In force",
    CompanyStanding.QUOTING: "Being quoted",
    CompanyStanding.OVER: "Nothing open",
}
_DOTS: Final[Mapping[CompanyStanding, str]] = {
    CompanyStanding.OPEN: "open",
    CompanyStanding.REFERRED: "wait",
    CompanyStanding.BIND_REQUESTED: "wait",
    CompanyStanding.BINDER: "warn",
    CompanyStanding.IN_FORCE: "bound",
    CompanyStanding.QUOTING: "run",
    CompanyStanding.OVER: "over",
}
_HOW_IT_ENDED: Final = (
    *(S.POLICY_CANCELED, S.POLICY_EXPIRED, S.QUOTE_DECLINED, S.QUOTE_EXPIRED, S.STALE, S.QUOTE_NOT_BOUND),
    S.QUOTE_REVOKED,
)
"""Of the endings that options of one submission had, the first tells most."""


@dataclass(frozen=True, slots=True)
class Next:
    """The next step; `note` is what a phone has no room for, `urgency` empty, soon or late.

    `address` is where a broker takes it.
    """

    text: str
    note: str = ""
    urgency: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRow:
    number: int
    name: str
    product: str
    dot: str
    status: str
    count: int | None
    """How many options have this status; None if it is one."""
    also: str
    limit: str
    premium: str
    is_priced: bool
    effective: str
    next: Next
    since: str
    broker: str
    addresses: str

    @property
    def address(self) -> str:
        return f"/company/{self.number}"


def row_of(line: CompanyLine, times: Times, names: Mapping[str, str]) -> CompanyRow:
    """Show a line; `names` are those of brokers by their addresses, where they have one."""
    brokers = [email for email in (line.broker, line.secondary_broker) if email]
    return CompanyRow(
        number=line.company_id,
        name=line.name,
        product=", ".join(map(product_name, sorted(line.products))),
        dot=_DOTS[line.standing],
        status=status_of(line, times.today),
        count=None
        if line.options == 1 or line.standing in {CompanyStanding.IN_FORCE, CompanyStanding.OVER}
        else line.options,
        also=_also(line),
        limit=between(short_dollars(line.least_limit), short_dollars(line.most_limit)),
        premium=_premium(line),
        is_priced=line.most_premium is not None,
        effective=near(line.effective, times.today),
        next=next_of(line, times),
        since=near(line.created_at.astimezone(times.zone).date(), times.today),
        # Colleagues know each other by what stands before the sign; the whole address is a touch away.
        broker=", ".join(names.get(email) or email.partition("@")[0] for email in brokers),
        addresses=", ".join(brokers),
    )


def status_of(line: CompanyLine, today: date) -> str:
    match line.standing:
        case CompanyStanding.IN_FORCE:
            return _cover(line, today)
        case CompanyStanding.BINDER if line.until is not None:
            return f"Binder, due {near(line.until, today)}"
        case CompanyStanding.OVER:
            ended = _ending(line)
            # A binder that lapses ends as an expired quote.
            is_lapsed = ended is S.QUOTE_EXPIRED and line.ended_on is not None
            return "Lapsed" if is_lapsed else STATUS_WORDS[ended].text
        case CompanyStanding.OPEN if S.PUBLISHED not in line.statuses:
            return STATUS_WORDS[S.OFFER_EMAIL].text
        case standing:
            return CHIPS[standing]


def _cover(line: CompanyLine, today: date) -> str:
    if line.ended_on is not None:
        return f"Canceled as of {near(line.ended_on, today)}"
    return (
        f"Starts {near(line.effective, today)}" if line.effective > today else CHIPS[CompanyStanding.IN_FORCE]
    )


def _also(line: CompanyLine) -> str:
    others = line.standings - {line.standing, CompanyStanding.OVER}
    return ", ".join(f"also {CHIPS[other].lower()}" for other in CompanyStanding if other in others)


def _premium(line: CompanyLine) -> str:
    if line.least_premium is not None and line.most_premium is not None:
        return between(in_dollars(line.least_premium), in_dollars(line.most_premium))
    return NONE if line.standing is CompanyStanding.OVER else "not quoted yet"


def next_of(line: CompanyLine, times: Times) -> Next:
    match line.standing:
        case CompanyStanding.QUOTING:
            return Next("Being priced")
        case CompanyStanding.REFERRED | CompanyStanding.BIND_REQUESTED:
            return _answer(line, times)
        case CompanyStanding.BINDER:
            is_sent = line.received_on is not None
            waits = Next("Papers are being checked")
            return waits if is_sent else _by("Papers", line.until, times.today)
        case CompanyStanding.OPEN:
            return _by("Bind", line.until, times.today)
        case CompanyStanding.IN_FORCE:
            does = "Ends" if line.renews_by_hand or line.ended_on else "Renews"
            return Next(f"{does} {near(line.ended_on or line.expiration, times.today)}")
        case CompanyStanding.OVER:
            return _after_the_end(line)


def _answer(line: CompanyLine, times: Times) -> Next:
    if line.due_at is None:
        return Next("An underwriter decides")
    if line.due_at < times.now:
        return Next("Answer is late", urgency="late")
    text = times.at(line.due_at).text
    is_today = line.due_at.astimezone(times.zone).date() == times.today
    return Next(f"Answer by {text.rpartition(', ')[2] if is_today else text}")


def _by(does: str, on: date | None, today: date) -> Next:
    if on is None:
        return Next(does)
    left = (on - today).days
    urgency = "late" if left <= LATE_FROM else "soon" if left <= SOON_FROM else ""
    note = "" if left > NOTED_WITHIN or left < 0 else counted(left, "day") if left else "today"
    return Next(f"{does} by {near(on, today)}", note, urgency)


def _after_the_end(line: CompanyLine) -> Next:
    ended = {
        S.POLICY_CANCELED: f"Ended {day(line.ended_on)}",
        S.POLICY_EXPIRED: f"Ended {day(line.expiration)}",
        S.QUOTE_DECLINED: NONE,
        S.QUOTE_REVOKED: "Withdrawn or replaced",
    }.get(_ending(line))
    if ended is not None:
        return Next(ended)
    return Next("Ask for a new quote", address=f"/new?company_id={line.company_id}")


def _ending(line: CompanyLine) -> QuoteStatus:
    return next(status for status in _HOW_IT_ENDED if status in line.statuses)


def near(on: date, today: date) -> str:
    """Return a date, with its year unless it is near."""
    return day_of_year(on) if abs(on - today) < WITHOUT_YEAR else day(on)


def between(least: str, most: str) -> str:
    return least if least == most else f"{least} \N{EN DASH} {most}"


def short_dollars(amount: int) -> str:
    """Return a limit as $500k, $1M or $2.5M, and any other amount in full."""
    if amount >= 1_000_000 and amount % 100_000 == 0:  # noqa: PLR2004 - a million, and a tenth of it
        return f"${amount / 1_000_000:g}M"
    if amount >= 1_000 and amount % 1_000 == 0:  # noqa: PLR2004 - a thousand
        return f"${amount // 1_000}k"
    return in_dollars(amount)


def capped(count: int, *, is_whole: bool) -> str:
    """Return the count of a chip: no more than a hundred, and with a plus where not all were read."""
    return f"{MOST_COUNTED}+" if count > MOST_COUNTED else f"{count}" if is_whole else f"{count}+"


def emails_of(lines: Sequence[CompanyLine]) -> set[str]:
    return {email for line in lines for email in (line.broker, line.secondary_broker) if email}
