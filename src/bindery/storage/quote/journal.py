"""The journal of every quote: append-only, chained by hashes, the source of all events."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

import asyncpg

from bindery.base.tracing import trace_of
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.jobs import DELIVERIES_DUE
from bindery.domain.quote.journal_check import KeptEntry, KeptJournal
from bindery.domain.quote.quote import JournalEntry, JournalState
from bindery.storage.database import Reader, Tx, read_row, value_lists

# An event goes into the feed and, where webhooks want it, on its way: in the same statement, so that nobody
# can write one without the other, and a partner without webhooks costs one look into an index.
_APPEND = f"""
with written as (
    insert into journal (quote_id, entry, event_id, at, actor, trigger, status_before, status_after,
                         level, sequence, type, data, previous_hash, hash)
    select * from unnest($1::uuid[], $2::int[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[],
                         $7::text[], $8::text[], $9::text[], $10::int[], $11::text[], $12::text[],
                         $13::bytea[], $14::bytea[])
    returning quote_id, entry, event_id, at, level, type
), told as (
    insert into unplaced_events (event_id, partner_id, quote_id, entry, level, type, at)
    select w.event_id, q.partner_id, w.quote_id, w.entry, w.level, w.type, w.at
    from written w join quotes q using (quote_id)
    where w.type is not null order by w.quote_id, w.entry
    returning event_id, partner_id, quote_id, entry, level, at
), due as (
    insert into deliveries (webhook_id, event_id, quote_id, entry, created_at, due_at, trace)
    select w.webhook_id, told.event_id, told.quote_id, told.entry, told.at, told.at,
           ($15::text[])[array_position($1::uuid[], told.quote_id)]
    from told join webhooks w using (partner_id)
    where w.status = 'active' and case told.level when 'quote' then w.quote_level else w.policy_level end
    order by told.quote_id, told.entry
    returning delivery_id
)
select pg_notify('{DELIVERIES_DUE}', '') where exists (select from due)
"""


_APPENDED = (
    *("quote_id", "entry", "event_id", "at", "actor", "trigger", "status_before", "status_after"),
    *("level", "sequence", "type", "data", "previous_hash"),
)


async def append(tx: Tx, entries: Sequence[JournalEntry]) -> None:
    """Write entries; those that are events, into the feed and on their way to the partners' webhooks too."""
    await tx.execute(
        _APPEND,
        *value_lists(entries, *_APPENDED),
        [entry.hash() for entry in entries],
        [trace_of(entry.quote_id) for entry in entries],
    )


async def of_quote(tx: Reader, quote_id: uuid.UUID) -> list[JournalEntry]:
    rows = await tx.connection.fetch("select * from journal where quote_id = $1 order by entry", quote_id)
    return [_entry(row) for row in rows]


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID], *, limit: int) -> list[JournalEntry]:
    rows = await tx.connection.fetch(
        "select * from journal where quote_id = any($1) order by at desc, quote_id, entry desc limit $2",
        list(quote_ids),
        limit,
    )
    return [_entry(row) for row in rows]


async def last_step_at(tx: Reader, quote_id: uuid.UUID, trigger: str) -> datetime | None:
    statement = "select max(at) from journal where quote_id = $1 and trigger = $2"
    return await tx.find_value(datetime, statement, quote_id, trigger)


def _entry(row: asyncpg.Record) -> JournalEntry:
    return read_row(JournalEntry, row, previous_hash=row["previous_hash"] or b"")


async def read_batch(tx: Reader, *, after: uuid.UUID, limit: int) -> list[KeptJournal]:
    statement = "select * from quotes where quote_id > $1 order by quote_id limit $2"
    return await _read(tx, statement, after, limit)


async def read_one(tx: Reader, quote_id: uuid.UUID) -> KeptJournal:
    (found,) = await read_some(tx, [quote_id])
    return found


async def read_some(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[KeptJournal]:
    return await _read(tx, "select * from quotes where quote_id = any($1)", list(quote_ids))


async def _read(tx: Reader, quotes: str, *values: object) -> list[KeptJournal]:
    statement = f"""
    select q.quote_id as its_quote, q.status as its_status, q.journal_entries, q.journal_hash,
           q.quote_events, q.policy_events, j.*
    from ({quotes}) q left join journal j using (quote_id) order by q.quote_id, j.entry
    """
    rows = await tx.connection.fetch(statement, *values)
    journals = []
    for quote_id, group in groupby(rows, itemgetter("its_quote")):
        its_rows = list(group)
        first = its_rows[0]
        journals.append(
            KeptJournal(
                quote_id=quote_id,
                status=QuoteStatus(first["its_status"]),
                state=JournalState(
                    first["journal_entries"],
                    first["journal_hash"],
                    first["quote_events"],
                    first["policy_events"],
                ),
                entries=[_kept(row) for row in its_rows if row["entry"] is not None],
            )
        )
    return journals


async def count_quotes(tx: Reader) -> int:
    return await tx.value(int, "select count(*) from quotes")


def _kept(row: asyncpg.Record) -> KeptEntry:
    try:
        entry = _entry(row)
    except ValueError:
        # Somebody wrote a status or level that there is not.
        entry = None
    return KeptEntry(row["entry"], entry, row["hash"])
