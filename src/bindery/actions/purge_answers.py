from datetime import timedelta
from typing import Final

from bindery.actions.purge_in_batches import purge_in_batches
from bindery.runtime import Runtime
from bindery.storage import idempotency

KEPT_FOR: Final = idempotency.KEPT_FOR + timedelta(hours=1)
"""The clock of a process that still replays an answer may be behind that of the one that purges it."""


async def purge_answers(runtime: Runtime) -> int:
    """Remove the idempotency keys whose first answer is not replayed any more, and return how many."""
    return await purge_in_batches(
        runtime, lambda tx, limit: idempotency.purge(tx, before=tx.now - KEPT_FOR, limit=limit)
    )
