from datetime import datetime

from bindery.storage.database import Tx


async def advance_to(tx: Tx, moment: datetime, *, real_now: datetime) -> None:
    """Set the business clock ahead of the wall's until it shows the moment; it never goes back."""
    await tx.connection.execute("update service_clock set ahead = greatest(ahead, $1)", moment - real_now)
