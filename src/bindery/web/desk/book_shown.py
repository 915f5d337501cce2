"""A policy of the renewal book: what is expiring and offered, what happened since, and where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.storage.lists.renewal_book import BookRow, BookState, SinceBound
from bindery.web.shown.renewal import Outlook, change_of_premium, dollars_of_change, renewal_in_words
from bindery.web.shown.words import StatusDot, money, product_name

NO_LOSSES: Final = "none known to us"
SOON: Final = timedelta(days=14)
STATES: Final[Mapping[BookState, str]] = {
    BookState.TO_COME: "Offer to come",
    BookState.HELD: "Held for review",
    BookState.REFERRED: "With an underwriter",
    BookState.OFFERED: "Offered",
    BookState.BOUND: "Renewed",
    BookState.NOT_RENEWED: "Not renewed by us",
    BookState.ENDS: "Ends: no renewal",
}
DOTS: Final[Mapping[BookState, StatusDot]] = {
    BookState.TO_COME: StatusDot.RUN,
    BookState.HELD: StatusDot.WARN,
    BookState.REFERRED: StatusDot.WAIT,
    BookState.OFFERED: StatusDot.OPEN,
    BookState.BOUND: StatusDot.BOUND,
    BookState.NOT_RENEWED: StatusDot.BAD,
    BookState.ENDS: StatusDot.BAD,
}

CSV_HEADS: Final = (
    "Company",
    "Policy",
    "Product",
    "Ends",
    "Expiring premium",
    "Offered premium",
    "Change",
    "Change in percent",
    "Scan at the bind",
    "Last scan",
    "Security alerts since",
    "Losses known to us",
    "State",
    "What happens",
    "Broker",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBookRow:
    row: BookRow
    since: SinceBound
    product: str
    premium: str
    offered: str
    change: str
    percent: str
    is_soon: bool
    scan: str
    alerts: str
    losses: str
    has_losses: bool
    dot: StatusDot
    word: str
    says: str


def shown_policy(row: BookRow, since: SinceBound, today: date) -> ShownBookRow:
    state = book_state(row)
    outlook = Outlook(
        ends=row.expiration,
        state=row.state,
        stopped_by=row.stopped_by,
        in_force=row.in_force,
        number=row.renewed_as or "",
    )
    return ShownBookRow(
        row=row,
        since=since,
        product=product_name(row.product),
        premium=money(row.premium),
        offered=money(row.offered) if row.offered is not None else "",
        change=dollars_of_change(row.premium, row.offered),
        percent=change_of_premium(row.premium, row.offered),
        is_soon=row.expiration - today <= SOON,
        scan=scan_in_words(since),
        alerts=str(row.alerts) if row.alerts else "none",
        losses=", ".join(since.losses) or NO_LOSSES,
        has_losses=bool(since.losses),
        dot=DOTS[state],
        word=STATES[state],
        says=renewal_in_words(outlook),
    )


def book_state(row: BookRow) -> BookState:
    if row.stopped_by is RenewalStop.NOT_RENEWED:
        return BookState.NOT_RENEWED
    match row.state:
        case RenewalState.NOT_DUE if row.stopped_by is RenewalStop.HELD:
            return BookState.HELD
        case state:
            return _OF_STATE[state]


_OF_STATE: Final[Mapping[RenewalState, BookState]] = {
    RenewalState.NOT_DUE: BookState.TO_COME,
    RenewalState.REFERRED: BookState.REFERRED,
    RenewalState.OFFERED: BookState.OFFERED,
    RenewalState.BOUND: BookState.BOUND,
    RenewalState.ENDS: BookState.ENDS,
}


def scan_in_words(since: SinceBound) -> str:
    """Return the score at the bind and the last one since; one alone where there is no other."""
    before, now = since.score_at_bind, since.last_score
    if before is None and now is None:
        return "not scanned"
    if now is None or before is None:
        return str(before if now is None else now)
    return f"{before} \N{RIGHTWARDS ARROW} {now}" if now != before else str(now)


def as_cells(shown: ShownBookRow) -> tuple[object, ...]:
    """Return a policy as the cells of a spreadsheet; amounts and scores are numbers there."""
    row, since = shown.row, shown.since
    changed = row.offered is not None
    return (
        row.name,
        row.policy_number,
        shown.product,
        row.expiration.isoformat(),
        row.premium,
        "" if row.offered is None else row.offered,
        row.offered - row.premium if row.offered is not None else "",
        round((row.offered or 0) / row.premium * 100 - 100, 1) if changed and row.premium else "",
        "" if since.score_at_bind is None else since.score_at_bind,
        "" if since.last_score is None else since.last_score,
        row.alerts,
        shown.losses,
        shown.word,
        shown.says,
        row.broker,
    )
