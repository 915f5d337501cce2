from datetime import datetime

from bindery.storage.database import Tx
from bindery.storage.webhooks.delivery_claims import notify_due


async def advance_to(tx: Tx, moment: datetime, *, real_now: datetime) -> None:
    """Set the business clock ahead of the real one until it shows the moment; it never goes back."""
    await tx.execute("update service_clock set ahead = greatest(ahead, $1)", moment - real_now)
    await notify_due(tx)


async def begin_at(tx: Tx, moment: datetime, *, real_now: datetime) -> bool:
    """Set the clock of a world in which nothing has happened yet, even backward; whether it was one."""
    statement = "update service_clock set ahead = $1 where not exists (select from companies)"
    return await tx.execute(statement, moment - real_now) > 0
