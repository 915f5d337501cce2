"""Starting the demo over; the old data is set aside in its database."""

import asyncio
from typing import Final

import asyncpg

from bindery.base.clock import Clock
from bindery.base.errors import InvalidRequest
from bindery.cli.common import check_data_folder, counted, refuse
from bindery.runtime import database_dsn
from bindery.settings import Settings
from bindery.storage import health, set_aside
from bindery.storage.migrate import migrate

LOOKS: Final = 15
LOOKS_EVERY_S: Final = 0.1


async def start_over(settings: Settings) -> str:
    """Set everything aside, make empty tables, and keep everyone's access; return the name of what was kept.

    The moment between the two has no tables: a demo that starts then makes them itself, with a new token.

    Raises:
        InvalidRequest: somebody works with the database, it is not ready, or the account may not.
    """
    check_data_folder(settings)
    dsn = await asyncio.to_thread(database_dsn, settings)
    await health.check_database(dsn)
    kept = f"kept_{Clock.real_now():%Y_%m_%d_%H%M%S}"
    connection = await health.connect_once(dsn)
    try:
        others = await _others(connection)
        if others:
            refuse(
                f"The database of this demo is in use ({counted(others, 'open connection')}): stop the "
                f"demo, and anything else that uses it, first."
            )
        try:
            await set_aside.set_aside(connection, kept)
        except asyncpg.InsufficientPrivilegeError as fault:
            sentence = f"The database does not let this account set its tables aside: {fault}."
            raise InvalidRequest(sentence) from fault
        await migrate(dsn)
        await set_aside.let_in_again(connection, kept)
    finally:
        await connection.close()
    return kept


async def _others(connection: set_aside.Connection) -> int:
    """Count who else is connected; what has just closed its connection is given a moment to be gone."""
    for _ in range(LOOKS):
        others = await set_aside.count_others(connection)
        if not others:
            break
        await asyncio.sleep(LOOKS_EVERY_S)
    return others
