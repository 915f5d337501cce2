"""The one place that knows the columns of the queue's table."""

from collections.abc import Sequence

from bindery.storage.database import Tx

ENQUEUE_COLUMNS = "priority, entrypoint, payload, status, dedupe_key"


async def enqueue(tx: Tx, entrypoint: str, payloads: Sequence[str]) -> int:
    """Queue one job for each payload in the caller's transaction; one queued or running is not doubled."""
    status: str = await tx.connection.execute(
        f"""
        insert into pgq.pgqueuer ({ENQUEUE_COLUMNS})
        select 0, $1, convert_to(p, 'UTF8'), 'queued', $1 || ':' || p from unnest($2::text[]) as p
        on conflict do nothing
        """,
        entrypoint,
        list(payloads),
    )
    return int(status.rpartition(" ")[2])


async def waiting(tx: Tx) -> int:
    """Count the jobs that wait or are being worked on."""
    count: int = await tx.connection.fetchval("select count(*) from pgq.pgqueuer where status <> 'failed'")
    return count
