from datetime import datetime

from bindery.storage.database import Tx


async def advance_to(tx: Tx, moment: datetime, *, real_now: datetime) -> None:
    """Set the business clock ahead of the wall's until it shows the moment; it never goes back."""
    await tx.connection.execute("update service_clock set ahead = greatest(ahead, $1)", moment - real_now)


async def begin_at(tx: Tx, moment: datetime, *, real_now: datetime) -> bool:
    """Set the business clock of a world in which nothing has happened yet, back too; whether it was one."""
    moved = await tx.connection.fetchval(
        "update service_clock set ahead = $1 where not exists (select from companies) returning true",
        moment - real_now,
    )
    return moved is True
