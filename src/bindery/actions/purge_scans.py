from datetime import timedelta
from typing import Final

from bindery.runtime import Runtime
from bindery.storage import scan_cache

KEPT_LONGER: Final = timedelta(hours=1)
"""The clock of a process that still uses a scan may be behind that of the one that purges it."""
PURGED_AT_ONCE: Final = 5_000


async def purge_scans(runtime: Runtime) -> int:
    """Remove the scans of domains that no new quote uses any more; submissions keep their own results."""
    total = 0
    while True:
        async with runtime.database.transaction() as tx:
            before = tx.now - scan_cache.KEPT_FOR - KEPT_LONGER
            count = await scan_cache.purge(tx, before=before, limit=PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
