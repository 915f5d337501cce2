from datetime import timedelta
from typing import Final

from bindery.runtime import Runtime
from bindery.storage import idempotency

KEPT_LONGER: Final = timedelta(hours=1)
"""The clock of a process that still replays an answer may be behind that of the one that purges it."""
PURGED_AT_ONCE: Final = 5_000


async def purge_answers(runtime: Runtime) -> int:
    """Remove the idempotency keys whose first answer is not replayed any more, and return how many."""
    total = 0
    while True:
        async with runtime.database.transaction() as tx:
            before = tx.now - idempotency.KEPT_FOR - KEPT_LONGER
            count = await idempotency.purge(tx, before=before, limit=PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
