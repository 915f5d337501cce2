"""The workers that live: each says so every few seconds."""

import uuid
from datetime import timedelta
from typing import Final

from bindery.storage.database import Tx

FORGOTTEN_AFTER: Final = timedelta(days=1)


async def beat(tx: Tx, worker_id: uuid.UUID) -> None:
    """Note that a worker lives, and forget those that have not for long."""
    await tx.execute(
        """
        with old as (delete from workers where seen_at < now() - $2::interval and worker_id <> $1)
        insert into workers (worker_id, seen_at) values ($1, now())
        on conflict (worker_id) do update set seen_at = now()
        """,
        worker_id,
        FORGOTTEN_AFTER,
    )


async def leave(tx: Tx, worker_id: uuid.UUID) -> None:
    """Note that a worker has ended as it was told to."""
    await tx.execute("delete from workers where worker_id = $1", worker_id)
