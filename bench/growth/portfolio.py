"""A service whose portfolio has grown to a size."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg

from bench.growth.copies import Tell, copy_companies
from bench.growth.seeds import leave_work, play_seeds
from bindery.storage.migrate import migrate
from support.postgres import create_database
from support.service import Service, serving


@contextlib.asynccontextmanager
async def portfolio(
    server: str, folder: Path, quotes: int, tell: Tell = lambda _done, _all: None
) -> AsyncIterator[Service]:
    """Open a service on a database of its own with about so many quotes, as vacuum leaves it."""
    dsn = await create_database(server, f"portfolio_{quotes}")
    await migrate(dsn)
    folder.mkdir(exist_ok=True)
    async with serving(dsn, folder, pool_size=8) as service:
        await grow(service, dsn, quotes, tell)
        yield service


async def grow(service: Service, dsn: str, quotes: int, tell: Tell = lambda _done, _all: None) -> None:
    """Let the portfolio of a new service grow to about so many quotes."""
    seeds = await play_seeds(service)
    connection = await asyncpg.connect(dsn)
    try:
        await copy_companies(connection, quotes, seeds, tell)
        await leave_work(service)
        await connection.execute("vacuum analyze")
    finally:
        await connection.close()
