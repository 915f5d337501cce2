from functools import partial
from typing import Final

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from bindery.base.errors import DatabaseUnreachable, MigrationFailed, Misconfigured
from bindery.domain.service_check import OLDEST_POSTGRESQL
from bindery.storage.health import connect_once
from bindery.storage.revision import flaw_of, is_newer, known_revisions, newest_revision
from bindery.storage.watch import OUTAGE

LOCK: Final = 0x62696E6465727900
"""Advisory lock: one process migrates, the others wait and find nothing left to do."""


BASELINE: Final = "0100"
BEFORE_BASELINE: Final = "0027"
"""The last of the migrations that the baseline replaces; a database has the same tables at both revisions."""
COMMIT_BEFORE_BASELINE: Final = "8d6f6a9"


async def migrate(dsn: str) -> str:
    """Bring the database to this version's schema, all or nothing, and return its revision.

    Raises:
        DatabaseUnreachable: the server is away.
        MigrationFailed: it refuses a step; nothing was changed.
        Misconfigured: it does not let us in, is too old or has tables of another version.
    """
    connect = partial(connect_once, dsn)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await _migrate(connection)
    except (*OUTAGE, asyncpg.PostgresError, DBAPIError) as fault:
        raise _with_own_message(fault) from fault
    finally:
        await engine.dispose()
    return newest_revision()


async def _migrate(connection: AsyncConnection) -> None:
    raw = (await connection.get_raw_connection()).driver_connection
    assert raw is not None
    version = int(await raw.fetchval("show server_version_num"))
    if version < OLDEST_POSTGRESQL:
        raise Misconfigured(f"PostgreSQL 14 or newer is needed; this server is {version // 10_000}.")
    # Through SQLAlchemy, which begins the transaction with its first statement.
    await connection.exec_driver_sql(f"select pg_advisory_xact_lock({LOCK})")
    await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> None:
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision == BEFORE_BASELINE:
        connection.exec_driver_sql(f"update alembic_version set version_num = '{BASELINE}'")
    elif revision is not None:
        _check_known(revision)
    config = Config()
    config.set_main_option("script_location", "bindery:storage/migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, newest_revision())


def _check_known(revision: str) -> None:
    if revision < BEFORE_BASELINE:
        raise Misconfigured(
            f"The database is at revision {revision}: run `bindery migrate` of commit "
            f"{COMMIT_BEFORE_BASELINE} first, which brings it to {BEFORE_BASELINE}. Nothing was changed."
        )
    if is_newer(revision):
        raise Misconfigured(flaw_of(revision))
    if revision not in known_revisions():
        raise Misconfigured(
            f"The database is at revision {revision}, and this version knows none after {newest_revision()}: "
            f"use the version that migrated it. Nothing was changed."
        )


def _with_own_message(fault: BaseException) -> Misconfigured:
    """Return the error with the server's own message, without SQLAlchemy's words around it."""
    if isinstance(fault, DBAPIError) and fault.orig is not None:
        fault = fault.orig.__cause__ or fault.orig
    words = next(iter(str(fault).splitlines()), "") or type(fault).__name__
    if isinstance(fault, OUTAGE):
        return DatabaseUnreachable(f"The database went away during the migration: {words}. Run it again.")
    return MigrationFailed(f"The migration failed and changed nothing: {words}.")
