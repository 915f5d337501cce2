"""The feed of events, put in order after the commit.

An event is written without a position. The reader or a periodic job assigns positions to a partner's new
events, one transaction at a time: an event that commits late comes later in the feed and is never skipped,
and a quote's events come in the order of its journal.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.contract.vocabulary import EventLevel, QuoteStatus
from bindery.domain.messages.webhooks import Event
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader, Tx
from bindery.storage.lists.lists import METADATA, metadata_of


def event_source(join: str = "join") -> str:
    """Return the joins from a row `e` that names a journal entry to everything that its event says.

    A ping names no entry: with `left join`, its columns are null.
    """
    return f"""
    {join} journal j on j.quote_id = e.quote_id and j.entry = e.entry
    {join} quotes q on q.quote_id = e.quote_id
    {join} submissions s on s.submission_id = q.submission_id
    """


EVENT_COLUMNS = f"""
    j.event_id, j.type, j.at, j.quote_id, q.company_id, j.status_after, j.level, j.sequence, j.data,
    s.renews, {METADATA}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedQuery:
    after: int
    limit: int
    quote_id: uuid.UUID | None = None
    type: str | None = None
    level: EventLevel | None = None


def event_from_row(row: asyncpg.Record) -> Event:
    return Event(
        event_id=row["event_id"],
        type=row["type"],
        at=row["at"],
        quote_id=row["quote_id"],
        company_id=row["company_id"],
        quote_status=QuoteStatus(row["status_after"]),
        level=EventLevel(row["level"]),
        sequence=row["sequence"],
        metadata=metadata_of(row),
        added=msgspec.json.decode(row["data"]),
        renews=row["renews"],
    )


async def has_unplaced(tx: Reader, partner_id: int) -> bool:
    statement = "select exists (select from unplaced_events where partner_id = $1)"
    return await tx.value(bool, statement, partner_id)


async def partners_with_unplaced(tx: Reader) -> list[int]:
    return await tx.column(int, "select distinct partner_id from unplaced_events")


async def place(tx: Tx, partner_id: int, *, limit: int) -> int:
    await tx.insert("feeds", {"partner_id": partner_id}, otherwise="on conflict do nothing")
    last = await tx.value(int, "select last_position from feeds where partner_id = $1 for update", partner_id)
    # A statement of its own: it must see what the transaction that held the feed before has left.
    statement = """
    with taken as (
        delete from unplaced_events where written in (
            select written from unplaced_events where partner_id = $1 order by written limit $3)
        returning *
    )
    insert into events (partner_id, position, event_id, quote_id, entry, level, type, at)
    select partner_id, $2 + row_number() over (order by written), event_id, quote_id, entry, level,
           type, at
    from taken
    """
    count = await tx.execute(statement, partner_id, last, limit)
    await tx.execute(
        "update feeds set last_position = last_position + $2 where partner_id = $1", partner_id, count
    )
    return count


async def page(tx: Reader, partner_id: int, query: FeedQuery) -> list[tuple[int, Event]]:
    # Only the filters that are asked for: a statement for all of them would have one plan for all of them.
    conditions = Conditions()
    conditions.where("partner_id = {} and position > {}", partner_id, query.after)
    conditions.where_if_given("quote_id = {}", query.quote_id)
    conditions.where_if_given("type = {}", query.type)
    if query.level is not None:
        # In words, so that the index of one level fits.
        conditions.where(f"level = '{EventLevel(query.level)}'")
    statement = f"""
    select e.position, {EVENT_COLUMNS}
    from (
        select quote_id, entry, position from events {conditions.clause}
        order by position limit {conditions.value(query.limit)}
    ) as e {event_source()}
    order by e.position
    """
    rows = await tx.connection.fetch(statement, *conditions.values)
    return [(row["position"], event_from_row(row)) for row in rows]


async def find(tx: Reader, event_id: uuid.UUID, *, partner_id: int) -> bool:
    statement = "select exists (select from events where event_id = $1 and partner_id = $2)"
    return await tx.value(bool, statement, event_id, partner_id)


async def since(
    tx: Reader, partner_id: int, *, at: datetime, levels: Sequence[EventLevel], limit: int
) -> list[tuple[uuid.UUID, datetime]]:
    statement = """
    select event_id, at from events where partner_id = $1 and at >= $2 and level = any($3)
    order by at, position limit $4
    """
    rows = await tx.connection.fetch(statement, partner_id, at, list(levels), limit)
    return [(row["event_id"], row["at"]) for row in rows]
