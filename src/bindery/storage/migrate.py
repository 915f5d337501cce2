import asyncio
from functools import partial
from importlib import resources
from pathlib import Path
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
from bindery.storage.revision import Chain, MigrationStep, Tables, read_chain
from bindery.storage.watch import OUTAGE

LOCK: Final = 0x62696E6465727900
"""Advisory lock: one process migrates, the others wait and find nothing left to do."""


BASELINE: Final = "0100"
BEFORE_BASELINE: Final = "0027"
"""The last of the migrations that the baseline replaces; a database has the same tables at both revisions."""
COMMIT_BEFORE_BASELINE: Final = "8d6f6a9"
SEEN_WITHIN_S: Final = 60


LOCK_WITHIN_S: Final = 2
"""How long a step beside running processes waits for a table: others wait for it behind that step."""
TRIES: Final = 30
PAUSE_S: Final = 1.0
FOLDER: Final = Path(str(resources.files("bindery.storage.migrations")))


async def migrate(
    dsn: str, *, only: MigrationStep | None = None, upto: str = "", folder: Path = FOLDER
) -> str:
    """Bring the database to this version's schema, all or nothing, and return its revision.

    With `only`, processes of the version before go on meanwhile: nothing is done but the next steps of that
    kind, and none that takes away what a process still needs.

    Raises:
        DatabaseUnreachable: the server is away.
        MigrationFailed: it refuses a step; nothing was changed.
        Misconfigured: it does not let us in, is too old or has tables of another version, or it is too early.
    """
    connect = partial(connect_once, dsn)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    upgrade = _Upgrade(folder, only, upto)
    try:
        for left in reversed(range(TRIES)):
            try:
                async with engine.begin() as connection:
                    return await upgrade.run(connection)
            except (DBAPIError, asyncpg.LockNotAvailableError) as fault:
                if not left or not isinstance(_own(fault), asyncpg.LockNotAvailableError):
                    raise
            # Rolled back, so that those who waited behind it go on.
            await asyncio.sleep(PAUSE_S)
    except (*OUTAGE, asyncpg.PostgresError, DBAPIError) as fault:
        raise _with_own_message(fault) from fault
    finally:
        await engine.dispose()
    raise AssertionError("the last try returns or raises")


class _Upgrade:
    def __init__(self, folder: Path, only: MigrationStep | None, upto: str) -> None:
        self._folder = folder
        self._only = only
        self._chain = read_chain(folder / "versions")
        self._upto = upto or self._chain.newest

    async def run(self, connection: AsyncConnection) -> str:
        raw = (await connection.get_raw_connection()).driver_connection
        assert raw is not None
        version = int(await raw.fetchval("show server_version_num"))
        if version < OLDEST_POSTGRESQL:
            raise Misconfigured(f"PostgreSQL 14 or newer is needed; this server is {version // 10_000}.")
        # Through SQLAlchemy, which begins the transaction with its first statement.
        await connection.exec_driver_sql(f"select pg_advisory_xact_lock({LOCK})")
        if self._only:
            await connection.exec_driver_sql(f"set local lock_timeout = '{LOCK_WITHIN_S}s'")
        return await connection.run_sync(self._upgrade)

    def _upgrade(self, connection: Connection) -> str:
        revision = MigrationContext.configure(connection).get_current_revision()
        if revision == BEFORE_BASELINE:
            connection.exec_driver_sql(f"update alembic_version set version_num = '{BASELINE}'")
            revision = BASELINE
        elif revision is not None:
            _check_known(self._chain, revision)
        target = self._upto
        # Nobody uses a database that has no tables yet.
        if self._only and revision:
            target = next_target(self._chain, revision, self._only)
            if self._only is MigrationStep.CONTRACT and target != revision:
                _check_nobody_is_older(connection, self._chain, target)
        config = Config()
        config.set_main_option("script_location", str(self._folder))
        config.attributes["connection"] = connection
        command.upgrade(config, target)
        _note(connection, self._chain, target)
        return target


def next_target(chain: Chain, revision: str, only: MigrationStep) -> str:
    """Return the revision that the next steps of one kind lead to; the same where nothing is left to do.

    Raises:
        Misconfigured: steps of the other kind come first.
    """
    left = list(chain.after(revision).items())
    of_other_kind = [place for place, (_, step) in enumerate(left) if step is not only]
    run = left[: of_other_kind[0]] if of_other_kind else left
    target = run[-1][0] if run else revision
    is_enough = not chain.comes_before(target, chain.needed)
    if only is MigrationStep.EXPAND and not is_enough:
        blocking = left[len(run)][0]
        first = (
            f"Upgrade to a version that ends with {blocking} first"
            if run
            else "Run `bindery migrate --contract` first"
        )
        raise Misconfigured(
            f"Revision {blocking} takes away what older processes use, and this version needs "
            f"{chain.needed}, which comes after it. {first}, or stop all processes and run "
            "`bindery migrate`. Nothing was changed."
        )
    if only is MigrationStep.CONTRACT and left and not run:
        raise Misconfigured(
            f"The database is at revision {revision}, and {left[0][0]} comes next, which expands: run "
            "`bindery migrate --expand` first. Nothing was changed."
        )
    return target


def _check_nobody_is_older(connection: Connection, chain: Chain, target: str) -> None:
    """Check that every process that was seen in the last minute knows a revision.

    Raises:
        Misconfigured: one does not; it is named.
    """
    if connection.exec_driver_sql("select to_regclass('processes')").scalar() is None:
        return
    seen = connection.exec_driver_sql(
        "select host, kind, version, revision, count(*) from processes "
        f"where seen_at > now() - interval '{SEEN_WITHIN_S} seconds' group by 1, 2, 3, 4 order by 1, 2, 3, 4"
    )
    older = [
        f"{host} ({kind}{f', {count} processes' if count > 1 else ''}: {version} with revision {revision})"
        for host, kind, version, revision, count in seen
        if chain.comes_before(revision, target)
    ]
    if older:
        raise Misconfigured(
            f"Revision {target} takes away what processes use that were seen in the last minute: "
            f"{'; '.join(older)}. Upgrade or stop them first. Nothing was changed."
        )


def _note(connection: Connection, chain: Chain, target: str) -> None:
    """Note which migrations made the tables, for processes that do not know all of them."""
    if connection.exec_driver_sql("select to_regclass('migrations_done')").scalar() is None:
        return
    for revision, step in chain.steps.items():
        if not chain.comes_before(target, revision):
            connection.exec_driver_sql(
                f"insert into migrations_done values ('{revision}', '{step}') on conflict do nothing"
            )


def _check_known(chain: Chain, revision: str) -> None:
    if revision < BEFORE_BASELINE:
        raise Misconfigured(
            f"The database is at revision {revision}: run `bindery migrate` of commit "
            f"{COMMIT_BEFORE_BASELINE} first, which brings it to {BEFORE_BASELINE}. Nothing was changed."
        )
    if chain.is_newer(tables := Tables(revision)):
        raise Misconfigured(chain.flaw_of(tables))
    if revision not in chain.steps:
        raise Misconfigured(
            f"The database is at revision {revision}, and this version knows none after {chain.newest}: "
            f"use the version that migrated it. Nothing was changed."
        )


def _own(fault: BaseException) -> BaseException:
    """Return the server's own fault, without SQLAlchemy's around it."""
    if isinstance(fault, DBAPIError) and fault.orig is not None:
        return fault.orig.__cause__ or fault.orig
    return fault


def _with_own_message(fault: BaseException) -> Misconfigured:
    """Return the error with the server's own message, without SQLAlchemy's words around it."""
    fault = _own(fault)
    words = next(iter(str(fault).splitlines()), "") or type(fault).__name__
    if isinstance(fault, OUTAGE):
        return DatabaseUnreachable(f"The database went away during the migration: {words}. Run it again.")
    return MigrationFailed(f"The migration failed and changed nothing: {words}.")
