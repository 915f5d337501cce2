"""Lists a page at a time, each page before or after a cursor: the key of a row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bindery.storage.list_pages import Cursor, ListPage
from bindery.web.frame.visit import Visit, read_number

AFTER: Final = "after"
"""The key of the last row of the previous page."""
BEFORE: Final = "before"
"""The key of the first row of the next page."""

ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class Pager:
    back: str
    on: str


def cursor_of(visit: Visit, read: Callable[[str], object | None]) -> Cursor | None:
    """Return the cursor of the page asked for; None for the first page."""
    before, after = visit.word(BEFORE), visit.word(AFTER)
    key = read(before or after) if before or after else None
    return Cursor(key, backward=bool(before)) if key is not None else None


def read_long_number(text: str) -> int | None:
    return read_number(text, most=2**62)


def pager_of(visit: Visit, page: ListPage[Any], *, write: Callable[[Any], str] = str) -> Pager:
    """Return the links to the pages before and after this one; an empty page links to the first."""
    if not page.rows:
        first = _address(visit)
        return Pager(first if visit.word(AFTER) else "", first if visit.word(BEFORE) else "")
    return Pager(
        back="" if page.previous is None else _address(visit, **{BEFORE: write(page.previous)}),
        on="" if page.next is None else _address(visit, **{AFTER: write(page.next)}),
    )


def _address(visit: Visit, **cursor: str) -> str:
    url = visit.request.url.remove_query_params([AFTER, BEFORE]).include_query_params(**cursor)
    return f"{url.path}?{url.query}" if url.query else url.path
