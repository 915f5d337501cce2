"""Who delivers, and who is still alive; in the wall-clock time of the database, which all of them share."""

import uuid
from datetime import timedelta

from bindery.storage.database import Tx


async def show_alive(tx: Tx, courier_id: uuid.UUID, *, silent_for: timedelta) -> int:
    """Say that a courier lives, and take back what dead ones had claimed; give how much."""
    await tx.connection.execute("set local synchronous_commit = off")
    await tx.connection.execute(
        """
        insert into couriers (courier_id, seen_at) values ($1, clock_timestamp())
        on conflict (courier_id) do update set seen_at = excluded.seen_at
        """,
        courier_id,
    )
    await tx.connection.execute(
        """
        delete from couriers where courier_id in (
            select courier_id from couriers where seen_at < clock_timestamp() - $1::interval
            for update skip locked)
        """,
        silent_for,
    )
    # Not the claims of those just found dead, but of everybody who is not known to live: a courier that was
    # only slow may have claimed more after it was given up, and then died indeed.
    status: str = await tx.connection.execute(
        """
        update deliveries set claimed_by = null where delivery_id in (
            select d.delivery_id from deliveries d
            where d.claimed_by is not null
              and not exists (select from couriers c where c.courier_id = d.claimed_by)
            for update skip locked)
        """
    )
    return int(status.rpartition(" ")[2])


async def sign_off(tx: Tx, courier_id: uuid.UUID) -> None:
    """End a courier's work and let go of whatever it still had."""
    await tx.connection.execute("update deliveries set claimed_by = null where claimed_by = $1", courier_id)
    await tx.connection.execute("delete from couriers where courier_id = $1", courier_id)
