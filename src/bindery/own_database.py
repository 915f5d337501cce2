"""The database of this installation, for a process that may need nothing else."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import structlog

from bindery.base.clock import Clock
from bindery.base.private_files import close_folder
from bindery.domain.business_rules import Calendar
from bindery.outside import embedded_postgres
from bindery.settings import Settings
from bindery.storage.database import Database, connected
from bindery.storage.watch import Watch

log = structlog.get_logger()


def database_dsn(settings: Settings) -> str:
    """Return the address of the database itself, starting the embedded server when none is configured."""
    if settings.database_url:
        return settings.database_direct_url or settings.database_url
    return embedded_postgres.ensure_running(settings.data_dir).dsn


def close_data_folder(folder: Path) -> None:
    """Keep other accounts out of the data folder and of files that earlier versions left in it.

    Only an embedded server that runs as another account is let through, to its own folder.
    """
    if folder.is_dir():
        for path in close_folder(folder, way_through=embedded_postgres.home_of_another_account(folder)):
            log.warning("readable_by_others", path=str(path))


@asynccontextmanager
async def open_database(settings: Settings, dsn: str, clock: Clock) -> AsyncIterator[Database]:
    """Open a pool for the block, also while the database is away; its watch does not listen yet."""
    close_data_folder(settings.data_dir)
    revive = None if settings.database_url else partial(embedded_postgres.revive, settings.data_dir)
    async with connected(
        Watch(dsn, revive=revive),
        clock,
        random.SystemRandom(),
        pool_size=settings.pool_size,
        clock_moves=settings.is_demo,
        calendar=Calendar(settings.zone, timedelta(hours=settings.desk_answer_hours)),
        replica_dsn=settings.replica_url,
        pooler_dsn=settings.database_url if settings.database_pooled else "",
    ) as database:
        yield database
