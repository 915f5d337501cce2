"""The journal of every quote: append-only, chained by hashes, the source of all that partners are told."""

import uuid
from itertools import groupby
from operator import itemgetter

import asyncpg

from bindery.contract.vocabulary import EventLevel, QuoteStatus
from bindery.domain.journal_check import KeptEntry, KeptJournal
from bindery.domain.quote import JournalEntry, JournalState
from bindery.storage.database import Tx

_APPEND = """
insert into journal (quote_id, entry, event_id, at, actor, trigger, status_before, status_after,
                     level, sequence, type, data, previous_hash, hash)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
"""

# An event goes into the feed and, where webhooks want it, on its way: in the same statement, so that nobody
# can write one without the other, and a partner without webhooks costs one look into an index.
_APPEND_EVENT = f"""
with entry as ({_APPEND}), told as (
    insert into unplaced_events (event_id, partner_id, quote_id, entry, level, type, at)
    select $3, partner_id, $1, $2, $9, $11, $4 from quotes where quote_id = $1
    returning partner_id
)
insert into deliveries (webhook_id, event_id, quote_id, entry, created_at, due_at)
select w.webhook_id, $3, $1, $2, $4, $4 from told join webhooks w using (partner_id)
where w.status = 'active' and case $9 when 'quote' then w.quote_level else w.policy_level end
"""


async def append(tx: Tx, entry: JournalEntry) -> None:
    """Write one entry; if it is an event, into the feed and on its way to the partner's webhooks too."""
    await tx.connection.execute(
        _APPEND if entry.type is None else _APPEND_EVENT,
        entry.quote_id,
        entry.entry,
        entry.event_id,
        entry.at,
        entry.actor,
        entry.trigger,
        entry.status_before,
        entry.status_after,
        entry.level,
        entry.sequence,
        entry.type,
        entry.data,
        entry.previous_hash,
        entry.hash(),
    )


async def of_quote(tx: Tx, quote_id: uuid.UUID) -> list[JournalEntry]:
    """Read a quote's journal from its first entry on."""
    rows = await tx.connection.fetch("select * from journal where quote_id = $1 order by entry", quote_id)
    return [_entry(row) for row in rows]


def _entry(row: asyncpg.Record) -> JournalEntry:
    return JournalEntry(
        quote_id=row["quote_id"],
        entry=row["entry"],
        event_id=row["event_id"],
        at=row["at"],
        actor=row["actor"],
        trigger=row["trigger"],
        status_before=QuoteStatus(row["status_before"]) if row["status_before"] else None,
        status_after=QuoteStatus(row["status_after"]),
        level=EventLevel(row["level"]) if row["level"] else None,
        sequence=row["sequence"],
        type=row["type"],
        data=row["data"],
        previous_hash=row["previous_hash"] or b"",
    )


async def read_batch(tx: Tx, *, after: uuid.UUID, limit: int) -> list[KeptJournal]:
    """Read the journals of the quotes that follow one by their id, in one look at one moment."""
    rows = await tx.connection.fetch(
        """
        select q.quote_id as its_quote, q.status as its_status, q.journal_entries, q.journal_hash,
               q.quote_events, q.policy_events, j.*
        from (select * from quotes where quote_id > $1 order by quote_id limit $2) q
        left join journal j using (quote_id)
        order by q.quote_id, j.entry
        """,
        after,
        limit,
    )
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


async def count_quotes(tx: Tx) -> int:
    """Count the quotes, each of which has a journal."""
    count: int = await tx.connection.fetchval("select count(*) from quotes")
    return count


def _kept(row: asyncpg.Record) -> KeptEntry:
    try:
        entry = _entry(row)
    except ValueError:
        # Somebody wrote a status or level that there is not.
        entry = None
    return KeptEntry(row["entry"], entry, row["hash"])
