"""Lists a page at a time: the rows after or before one that was shown, in the list's own order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from bindery.storage.database import Reader

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The key of a row that was shown: the page follows it or, read backward, comes before it."""

    key: Any
    backward: bool = False


@dataclass(frozen=True, slots=True)
class ListPage(Generic[_Row]):
    """A page of a list, and the keys where the pages before and after it begin; None without such a page."""

    rows: Sequence[_Row]
    previous: Any = None
    next: Any = None


def page_of(
    found: Sequence[_Row], *, cursor: Cursor | None, limit: int, key: Callable[[_Row], object]
) -> ListPage[_Row]:
    """Make a page of the rows in the order they were read in; one more was read than it shows."""
    has_more, rows = len(found) > limit, found[:limit]
    if not rows:
        return ListPage(rows)
    if cursor is not None and cursor.backward:
        return ListPage(rows[::-1], key(rows[-1]) if has_more else None, key(rows[0]))
    return ListPage(rows, key(rows[0]) if cursor is not None else None, key(rows[-1]) if has_more else None)


async def page_of_list(
    tx: Reader,
    kind: type[_Row],
    select: str,
    *values: object,
    order: Sequence[str],
    place: str,
    key: str,
    cursor: Cursor | None,
    limit: int,
) -> ListPage[_Row]:
    """Read a page of a list in its order, after a cursor.

    `select` ends in a condition, and `place` is the statement that finds what the row of key `{}`, the field
    `key`, is ordered by.
    """
    direction, sign = ("desc", "<") if cursor is not None and cursor.backward else ("asc", ">")
    given = [*values, limit + 1]
    after_cursor = ""
    if cursor is not None:
        given.append(cursor.key)
        after_cursor = f"and ({', '.join(order)}) {sign} ({place.format(f'${len(given)}')})"
    found = await tx.rows(
        kind,
        f"{select} {after_cursor} order by {', '.join(f'{column} {direction}' for column in order)} "
        f"limit ${len(values) + 1}",
        *given,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter(key))
