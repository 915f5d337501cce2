from datetime import datetime, timedelta

from bindery.actions.sweep import run_what_is_due
from bindery.runtime import Runtime
from bindery.storage import service_clock


async def move_clock(runtime: Runtime, days: int) -> datetime:
    """Move the demo's business clock ahead and do everything that became due; give the new time."""
    async with runtime.database.transaction() as tx:
        await service_clock.advance(tx, timedelta(days=days))
    await run_what_is_due(runtime)
    return await runtime.database.now()
