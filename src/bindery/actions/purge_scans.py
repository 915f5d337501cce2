from datetime import timedelta
from typing import Final

from bindery.actions.purge_in_batches import purge_in_batches
from bindery.runtime import Runtime
from bindery.storage import scan_cache

KEPT_FOR: Final = scan_cache.KEPT_FOR + timedelta(hours=1)
"""The clock of a process that still uses a scan may be behind that of the one that purges it."""


async def purge_scans(runtime: Runtime) -> int:
    """Remove the scans of domains that no new quote uses any more; submissions keep their own results."""
    return await purge_in_batches(
        runtime, lambda tx, limit: scan_cache.purge(tx, before=tx.now - KEPT_FOR, limit=limit)
    )
