from datetime import timedelta
from typing import Final

from bindery.actions.purge_in_batches import purge_in_batches
from bindery.runtime import Runtime
from bindery.storage import deliveries

KEPT_FOR: Final = timedelta(days=90)


async def purge_deliveries(runtime: Runtime) -> int:
    """Remove deliveries older than 90 days with their attempts; the events themselves stay in the feed."""
    async with runtime.database.transaction() as tx:
        dropped = await deliveries.drop_hopeless(tx, before=tx.now - KEPT_FOR)
    return dropped + await purge_in_batches(
        runtime, lambda tx, limit: deliveries.purge(tx, before=tx.now - KEPT_FOR, limit=limit)
    )
