"""The renewal book: policies that end soon, for the underwriters who decide what becomes of them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.lists import renewal_book
from bindery.storage.lists.renewal_book import MOST_COMPARED, BookFilter, BookOrder, BookRow, BookState
from bindery.web.desk.book_shown import CSV_HEADS, STATES, ShownBookRow, as_cells, shown_policy
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import PRODUCTS

AHEAD: Final = (30, 60, 90, 120)
AHEAD_DAYS: Final = 90
FILTERS: Final = ("days", "product", "state", "alerts", "sort")
ORDERS: Final = {
    BookOrder.ENDS: ("Ends", "ascending"),
    BookOrder.PREMIUM: ("Expiring", "descending"),
    BookOrder.CHANGE: ("Change", "descending"),
}


@dataclass(frozen=True, slots=True)
class BookHead:
    """The head of a column to sort by; `sorts` is the order for screen readers."""

    text: str
    address: str
    sorts: str


@dataclass(frozen=True, slots=True)
class _Read:
    asked: BookFilter
    found: ListPage[BookRow]
    rows: list[ShownBookRow]
    count: int


async def show_book(visit: Visit) -> Response:
    cursor, reads = paging.cursor_of(visit, visit.as_id), _reader(visit, most_compared=MOST_COMPARED)
    read = await visit.runtime.database.read(lambda tx: reads(tx, cursor, paging.ROWS))
    asked, count, days = read.asked, read.count, _days(visit)
    return page(
        visit,
        "desk/book.html",
        rows=read.rows,
        pager=paging.pager_of(visit, read.found),
        asked=asked,
        days=days,
        until=asked.until,
        count=f"{MOST_COMPARED:,}+" if count > MOST_COMPARED else f"{count:,}",
        is_cut=asked.compares and count > MOST_COMPARED,
        most=MOST_COMPARED,
        ahead=[
            ViewLink(address=_address(visit, days=str(n)), text=f"{n} days", is_here=n == days) for n in AHEAD
        ],
        heads={
            order: BookHead(text, _address(visit, sort=order.value), sorts if order is asked.order else "")
            for order, (text, sorts) in ORDERS.items()
        },
        products=tuple(PRODUCTS.items()),
        states=tuple(STATES.items()),
        csv=_address(visit).replace("/desk/renewals", "/desk/renewals.csv", 1),
    )


async def send_csv(visit: Visit) -> Response:
    """Send the whole book: a part of it, or another order, is of all policies, not of the first to end."""
    read = _reader(visit, most_compared=None)

    async def read_part(tx: Reader, *, after: Cursor | None, together: int) -> ListPage[Cells]:
        book = await read(tx, after, together)
        return ListPage([*map(as_cells, book.rows)], next=book.found.next)

    return await long_spreadsheet(visit.runtime.database, "renewal-book", CSV_HEADS, read_part)


def _reader(
    visit: Visit, *, most_compared: int | None
) -> Callable[[Reader, Cursor | None, int], Awaitable[_Read]]:
    """Return what reads a part of the book that is asked for."""

    async def read(tx: Reader, cursor: Cursor | None, limit: int) -> _Read:
        asked = filter_of(visit, today=tx.today)
        found = await renewal_book.read_book(
            tx, asked, cursor=cursor, limit=limit, most_compared=most_compared
        )
        since = await renewal_book.since_bound(tx, [row.quote_id for row in found.rows])
        rows = [shown_policy(row, since[row.quote_id], tx.today) for row in found.rows]
        return _Read(asked, found, rows, await renewal_book.count_ending(tx, asked.until))

    return read


def filter_of(visit: Visit, *, today: date) -> BookFilter:
    product, state, order = visit.word("product"), visit.word("state"), visit.word("sort")
    return BookFilter(
        until=today + timedelta(days=_days(visit)),
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        state=BookState(state) if state in set(BookState) else None,
        has_alerts=visit.word("alerts") == "1",
        order=BookOrder(order) if order in set(BookOrder) else BookOrder.ENDS,
    )


def _days(visit: Visit) -> int:
    return max(1, min(visit.number("days") or AHEAD_DAYS, AHEAD[-1]))


def _address(visit: Visit, **changed: str) -> str:
    kept = {name: visit.word(name) for name in FILTERS if visit.word(name)} | changed
    return f"/desk/renewals?{urlencode(kept)}" if kept else "/desk/renewals"
