"""Old rows, removed in short transactions; each function returns how many it removed."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from bindery.domain.signing.client_link import ENDED_KEPT_FOR
from bindery.storage import idempotency
from bindery.storage.database import Database, Tx
from bindery.storage.jobs import queue
from bindery.storage.policy import rescans
from bindery.storage.signing import client_links
from bindery.storage.submission import scan_cache
from bindery.storage.webhooks import deliveries

PURGED_AT_ONCE: Final = 5_000
BEHIND: Final = timedelta(hours=1)
"""How far the clock of a process that still uses a row may be behind that of the one that purges it."""
DELIVERIES_KEPT_FOR: Final = timedelta(days=90)
JOB_LOG_KEPT_FOR: Final = timedelta(days=14)
RESCANS_KEPT_FOR: Final = timedelta(days=730)
"""Longer than any term, so that a renewal can say what was settled since."""

Purge = Callable[[Tx, int], Awaitable[int]]
"""Removes up to that many rows, and returns how many it removed."""


async def purge_answers(database: Database) -> int:
    kept_for = idempotency.KEPT_FOR + BEHIND
    return await _in_batches(
        database, lambda tx, limit: idempotency.purge(tx, before=tx.now - kept_for, limit=limit)
    )


async def purge_scans(database: Database) -> int:
    """Remove old scans of domains; submissions keep their own results."""
    kept_for = scan_cache.KEPT_FOR + BEHIND
    return await _in_batches(
        database, lambda tx, limit: scan_cache.purge(tx, before=tx.now - kept_for, limit=limit)
    )


async def purge_rescans(database: Database) -> int:
    """Remove rescans of policies after two years; the alerts that they led to stay in the journal."""
    return await _in_batches(
        database, lambda tx, limit: rescans.purge(tx, before=tx.now - RESCANS_KEPT_FOR, limit=limit)
    )


async def purge_deliveries(database: Database) -> int:
    """Remove deliveries older than 90 days with their attempts; the events themselves stay in the feed."""
    dropped = await _in_batches(
        database,
        lambda tx, limit: deliveries.drop_hopeless(tx, before=tx.now - DELIVERIES_KEPT_FOR, limit=limit),
    )
    return dropped + await _in_batches(
        database, lambda tx, limit: deliveries.purge(tx, before=tx.now - DELIVERIES_KEPT_FOR, limit=limit)
    )


async def purge_job_log(database: Database) -> int:
    """Remove what the queue logged of jobs that ended two weeks ago; failed jobs keep all of theirs."""
    return await _in_batches(
        database, lambda tx, limit: queue.purge_log(tx, older_than=JOB_LOG_KEPT_FOR, limit=limit)
    )


async def purge_client_links(database: Database) -> int:
    """Remove links that ended 90 days ago without an answer; what was signed is kept for good."""
    return await _in_batches(
        database, lambda tx, limit: client_links.purge(tx, before=tx.now - ENDED_KEPT_FOR, limit=limit)
    )


async def _in_batches(database: Database, purge: Purge) -> int:
    total = 0
    while True:
        async with database.transaction() as tx:
            count = await purge(tx, PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
