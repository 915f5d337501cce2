"""Lists a page at a time by the key of their rows, with the ways back and on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from bindery.storage.list_pages import Edge
from bindery.web.visit import Visit

AFTER: Final = "after"
"""The key of the last row of the page before."""
BEFORE: Final = "before"
"""The key of the first row of the page after."""

ROWS: Final = 50
"""How many rows a page of a list has."""

_Row = TypeVar("_Row")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the rows before and after those of a page are; empty if there are none."""

    back: str
    on: str


def edge_of(visit: Visit, read: Callable[[str], _Key | None]) -> Edge | None:
    """Return the row that the page asked for follows, or comes before; None for the first page."""
    before, after = visit.word(BEFORE), visit.word(AFTER)
    key = read(before or after)
    return Edge(key, is_way_back=bool(before)) if key is not None and (before or after) else None


def read_number(text: str) -> int | None:
    """Read the number of a row; None where it cannot be one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(2**31)) else None


def page_of(
    visit: Visit, found: Sequence[_Row], *, most: int, key: Callable[[_Row], object]
) -> tuple[Sequence[_Row], Pager]:
    """Return the rows of a page and the ways to others; one row more was read than the page shows."""
    is_way_back = bool(visit.word(BEFORE))
    is_more = len(found) > most
    if not found:
        return found, Pager(
            _address(visit) if visit.word(AFTER) else "", _address(visit) if is_way_back else ""
        )
    rows = found[-most:] if is_way_back else found[:most]
    has_before = is_more if is_way_back else bool(visit.word(AFTER))
    has_after = is_way_back or is_more
    return rows, Pager(
        back=_address(visit, **{BEFORE: key(rows[0])}) if has_before else "",
        on=_address(visit, **{AFTER: key(rows[-1])}) if has_after else "",
    )


def _address(visit: Visit, **edge: object) -> str:
    url = visit.request.url.remove_query_params([AFTER, BEFORE]).include_query_params(**edge)
    return f"{url.path}?{url.query}" if url.query else url.path
