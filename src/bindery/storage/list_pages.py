"""Lists a page at a time: the rows beyond one that was shown, in the list's own order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bindery.storage.database import Reader

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Edge:
    """The row that a page follows, by its key; on the way back the one that it comes before."""

    key: Any
    is_way_back: bool = False


async def page_of_list(
    tx: Reader,
    kind: type[_Row],
    select: str,
    *values: object,
    order: Sequence[str],
    place: str,
    edge: Edge | None,
    limit: int,
) -> list[_Row]:
    """Read a page of a list in its order, beyond the row at an edge.

    `select` ends in a condition, and `place` is the statement that finds what the row of key `{}` is
    ordered by.
    """
    way, sign = ("desc", "<") if edge is not None and edge.is_way_back else ("asc", ">")
    given = [*values, limit]
    beyond = ""
    if edge is not None:
        given.append(edge.key)
        beyond = f"and ({', '.join(order)}) {sign} ({place.format(f'${len(given)}')})"
    rows = await tx.rows(
        kind,
        f"{select} {beyond} order by {', '.join(f'{column} {way}' for column in order)} "
        f"limit ${len(values) + 1}",
        *given,
    )
    return rows[::-1] if way == "desc" else rows
