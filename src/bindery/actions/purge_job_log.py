from datetime import timedelta
from typing import Final

from bindery.actions.purge_in_batches import purge_in_batches
from bindery.runtime import Runtime
from bindery.storage import queue

KEPT_FOR: Final = timedelta(days=14)


async def purge_job_log(runtime: Runtime) -> int:
    """Remove what the queue logged of jobs that ended two weeks ago; failed jobs keep all of theirs."""
    return await purge_in_batches(
        runtime, lambda tx, limit: queue.purge_log(tx, older_than=KEPT_FOR, limit=limit)
    )
