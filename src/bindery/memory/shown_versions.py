"""Looking at the state of quotes, many callers with one statement."""

import uuid
from dataclasses import dataclass
from typing import Final

from bindery.base.batching import Batcher
from bindery.contract.vocabulary import QuoteStatus
from bindery.storage.database import Database

MOST_TOGETHER: Final = 64
AT_ONCE: Final = 2
"""How many statements look at the same time: one that is slow holds up only its own callers."""


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """The version of what is shown of a quote; the same version shows the same."""

    quote_id: uuid.UUID
    status: QuoteStatus
    version: int
    submission_id: uuid.UUID


class ShownVersions:
    """Look at quotes by their keys.

    A caller who asks while a statement is under way is part of the next one, never of that one: the answer
    was true after the call.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._looks: Batcher[tuple[uuid.UUID, int], ShownVersion | None] = Batcher(
            self._look, most=MOST_TOGETHER, at_once=AT_ONCE
        )

    async def look(self, quote_id: uuid.UUID, *, partner_id: int) -> ShownVersion | None:
        """Look at the state of a partner's quote; another partner's is not there."""
        return await self._looks.do((quote_id, partner_id))

    async def _look(self, asked: list[tuple[uuid.UUID, int]]) -> list[ShownVersion | Exception | None]:
        async with self._database.connection() as connection:
            statement = """
            select quote_id, status, shown_version, submission_id, partner_id from quotes
            where quote_id = any($1)
            """
            rows = await connection.fetch(statement, [quote_id for quote_id, _ in asked])
        # A quote is found only together with the partner whose it is.
        found = {(row[0], row[4]): ShownVersion(row[0], QuoteStatus(row[1]), row[2], row[3]) for row in rows}
        return [found.get(asked_for) for asked_for in asked]
