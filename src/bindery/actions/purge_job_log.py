from datetime import timedelta
from typing import Final

from bindery.runtime import Runtime
from bindery.storage import queue

KEPT_FOR: Final = timedelta(days=14)
PURGED_AT_ONCE: Final = 5_000


async def purge_job_log(runtime: Runtime) -> int:
    """Remove what the queue logged of jobs that ended two weeks ago; failed jobs keep all of theirs."""
    total = 0
    while True:
        async with runtime.database.transaction() as tx:
            count = await queue.purge_log(tx, older_than=KEPT_FOR, limit=PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
