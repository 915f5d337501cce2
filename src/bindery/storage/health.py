import asyncio
import contextlib
from typing import Final

import asyncpg

from bindery.base.errors import DatabaseUnreachable, InvalidRequest, Misconfigured
from bindery.storage.database import UNAVAILABLE, Database
from bindery.storage.revision import own_chain, tables_of
from bindery.storage.watch import BEAT_LOOKS, OUTAGE, REFUSED, connect, in_time

LOOK_EVERY_S: Final = 0.5
READY_WITHIN_S: Final = 2.0
HEARD_WITHIN_S: Final = 1.0


async def is_ready(database: Database) -> bool:
    try:
        return not own_chain().flaw_of(await database.find_tables())
    except (*UNAVAILABLE, asyncpg.PostgresError):
        return False


async def is_ready_in_time(database: Database) -> bool:
    """Whether the database has this version's tables; one that takes long to say so is not ready."""
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            return await is_ready(database)
    except TimeoutError:
        return False


async def wait_until_ready(database: Database) -> None:
    while not await is_ready(database):  # noqa: ASYNC110 - the tables are made by another process
        await asyncio.sleep(LOOK_EVERY_S)


async def check_database(dsn: str) -> None:
    """Check that the database lets us in and has the schema of this version.

    Raises:
        DatabaseUnreachable: it is away.
        Misconfigured: it does not let us in.
        InvalidRequest: it lacks the tables, or has those of a newer version; the sentence says what to do.
    """
    connection = await connect_once(dsn)
    try:
        tables = await in_time(tables_of(connection), BEAT_LOOKS)
    except OUTAGE as fault:
        raise DatabaseUnreachable(_sentence(fault)) from fault
    finally:
        connection.terminate()
    if flaw := own_chain().flaw_of(tables):
        raise InvalidRequest(flaw)


async def check_direct(dsn: str) -> None:
    """Check that a listener hears what another connection says, which it does not through a pooler.

    Raises:
        DatabaseUnreachable: the database is away.
        Misconfigured: it hears nothing.
    """
    heard = asyncio.Event()
    with contextlib.ExitStack() as opened:
        try:
            listener = await connect_once(dsn)
            opened.callback(listener.terminate)
            speaker = await connect_once(dsn)
            opened.callback(speaker.terminate)
            channel = f"bindery_direct_{listener.get_server_pid()}"
            await in_time(listener.add_listener(channel, lambda *_: heard.set()), BEAT_LOOKS)
            await in_time(speaker.execute("select pg_notify($1, '')", channel), BEAT_LOOKS)
            async with asyncio.timeout(HEARD_WITHIN_S):
                await heard.wait()
        except TimeoutError as fault:
            raise Misconfigured(
                "BINDERY_DATABASE_DIRECT_URL leads to a pooler: a listener there did not hear its own notice "
                "within a second."
            ) from fault
        except OUTAGE as fault:
            raise DatabaseUnreachable(_sentence(fault)) from fault


async def connect_once(dsn: str) -> "asyncpg.Connection[asyncpg.Record]":
    """Connect outside the pool.

    Raises:
        DatabaseUnreachable: the database is away, or has no room for one more.
        Misconfigured: it does not let us in, or the address is not valid.
    """
    try:
        return await connect(dsn)
    except asyncpg.ClientConfigurationError as fault:
        raise Misconfigured(_sentence(fault)) from fault
    except (*OUTAGE, asyncpg.InsufficientResourcesError) as fault:
        raise DatabaseUnreachable(_sentence(fault)) from fault
    except REFUSED as fault:
        raise Misconfigured(_sentence(fault)) from fault


def _sentence(fault: BaseException) -> str:
    return f"The database cannot be reached: {str(fault) or type(fault).__name__}"
