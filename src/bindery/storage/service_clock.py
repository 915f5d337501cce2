from datetime import timedelta

from bindery.storage.database import Tx


async def advance(tx: Tx, by: timedelta) -> None:
    """Set the business clock further ahead of the wall's."""
    await tx.connection.execute("update service_clock set ahead = ahead + $1", by)
