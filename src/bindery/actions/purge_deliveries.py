from datetime import timedelta
from typing import Final

from bindery.runtime import Runtime
from bindery.storage import deliveries

KEPT_FOR: Final = timedelta(days=90)
PURGED_AT_ONCE: Final = 5_000


async def purge_deliveries(runtime: Runtime) -> int:
    """Remove deliveries older than 90 days with their attempts; the events themselves stay in the feed."""
    async with runtime.database.transaction() as tx:
        total = await deliveries.drop_hopeless(tx, before=tx.now - KEPT_FOR)
    while True:
        async with runtime.database.transaction() as tx:
            count = await deliveries.purge(tx, before=tx.now - KEPT_FOR, limit=PURGED_AT_ONCE)
        total += count
        if count < PURGED_AT_ONCE:
            return total
