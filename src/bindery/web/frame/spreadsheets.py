"""Files for spreadsheets: long lists are read and sent a part at a time, and always whole."""

import csv
import io
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias

from starlette.responses import Response, StreamingResponse

from bindery.base.spreadsheets import harmless
from bindery.storage.database import Database, Reader
from bindery.storage.list_pages import Cursor, ListPage

TOGETHER: Final = 500
"""Rows that are read and sent together: no list is in memory whole, no connection waits for a slow reader."""
MARK: Final = "\ufeff"
"""Without a byte order mark Excel takes UTF-8 for an older encoding."""
_TYPE: Final = "text/csv; charset=utf-8"
Cells: TypeAlias = Sequence[object]


class ReadPart(Protocol):
    def __call__(
        self, tx: Reader, /, *, after: Cursor | None, together: int
    ) -> Awaitable[ListPage[Cells]]: ...


def spreadsheet(name: str, rows: Iterable[Cells]) -> Response:
    return Response(MARK + _text(rows), headers=_headers(name), media_type=_TYPE)


async def long_spreadsheet(database: Database, name: str, head: Cells, read: ReadPart) -> Response:
    """Return the whole of a list as a file; a fault of its first part is still answered as a page."""
    parts = parts_of(database, read)
    first = await anext(parts)

    async def content() -> AsyncIterator[str]:
        yield MARK + _text([head, *first])
        async for rows in parts:
            yield _text(rows)

    return StreamingResponse(content(), headers=_headers(name), media_type=_TYPE)


async def parts_of(
    database: Database, read: ReadPart, *, together: int = TOGETHER
) -> AsyncIterator[Sequence[Cells]]:
    """Walk a list from its first row to its last, each part in a short read of its own."""
    after: Cursor | None = None
    while True:
        found = await database.read(partial(read, after=after, together=together))
        yield found.rows
        if found.next is None:
            return
        after = Cursor(found.next)


def _text(rows: Iterable[Cells]) -> str:
    """Write rows so that no text of them is taken for a formula."""
    file = io.StringIO()
    csv.writer(file).writerows([harmless(cell) for cell in row] for row in rows)
    return file.getvalue()


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
