from functools import partial

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bindery.base.errors import InvalidRequest, Misconfigured
from bindery.storage.health import connect_once
from bindery.storage.revision import flaw_of, is_newer, newest_revision, revision_of

LOCK = 0x62696E6465727900
"""Advisory lock: one process migrates, the others wait and find nothing left to do."""

OLDEST_POSTGRESQL = 140_000


async def migrate(dsn: str) -> str:
    """Bring the database to this version's schema and return its revision.

    Raises:
        Unreachable: the server is away.
        Misconfigured: it does not let us in or is too old.
        InvalidRequest: a newer version has migrated it already.
    """
    connect = partial(connect_once, dsn)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            assert raw is not None
            if int(await raw.fetchval("show server_version_num")) < OLDEST_POSTGRESQL:
                raise Misconfigured("PostgreSQL 14 or newer is needed.")
            await raw.execute("select pg_advisory_lock($1)", LOCK)
            try:
                if is_newer(revision := await revision_of(raw)):
                    raise InvalidRequest(flaw_of(revision))
                return await connection.run_sync(_upgrade)
            finally:
                await raw.execute("select pg_advisory_unlock($1)", LOCK)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> str:
    config = Config()
    config.set_main_option("script_location", "bindery:storage/migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, newest_revision())
    return MigrationContext.configure(connection).get_current_revision() or ""
