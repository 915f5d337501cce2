"""Lists a page at a time by the key of their rows, with the ways back and on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from bindery.web.visit import Visit

AFTER: Final = "after"
"""The key of the last row of the page before."""
BEFORE: Final = "before"
"""The key of the first row of the page after."""

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the rows before and after those of a page are; empty if there are none."""

    back: str
    on: str


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
