"""Reading the feed, and keeping it in order."""

from typing import Final

from bindery.domain.messages.webhooks import Event
from bindery.storage.database import Database, Tx
from bindery.storage.webhooks import events
from bindery.storage.webhooks.events import FeedQuery

PLACED_AT_ONCE: Final = 1_000


async def read_events(database: Database, partner_id: int, query: FeedQuery) -> list[tuple[int, Event]]:
    """Read a page of a partner's feed, with every event that was committed before."""
    async with database.reading() as tx:
        if not await events.has_unplaced(tx, partner_id):
            return await events.page(tx, partner_id, query)
    async with database.transaction() as tx:
        await events.place(tx, partner_id, limit=PLACED_AT_ONCE)
        return await events.page(tx, partner_id, query)


async def place_all_events(tx: Tx, partner_id: int) -> None:
    while await events.place(tx, partner_id, limit=PLACED_AT_ONCE) == PLACED_AT_ONCE:
        pass


async def place_events(database: Database) -> int:
    """Assign positions to new events of partners who do not read their feed; return how many."""
    async with database.reading() as tx:
        partners = await events.partners_with_unplaced(tx)
    total = 0
    for partner_id in partners:
        while True:
            async with database.transaction() as tx:
                placed = await events.place(tx, partner_id, limit=PLACED_AT_ONCE)
            total += placed
            if placed < PLACED_AT_ONCE:
                break
    return total
