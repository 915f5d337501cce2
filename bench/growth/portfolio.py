"""A service whose portfolio has grown to a size."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from bench.growth.copies import Tell, copy_companies
from bench.growth.seeds import leave_work, play_seeds
from bindery.actions.access.issue_token import issue_token
from bindery.storage.access import partners
from bindery.storage.migrate import migrate
from support.postgres import create_database, drop_database
from support.service import Service, serving

FINISHED = "finished"
"""The comment on a database whose portfolio is whole."""


@contextlib.asynccontextmanager
async def portfolio(
    server: str, folder: Path, quotes: int, tell: Tell = lambda _done, _all: None
) -> AsyncIterator[Service]:
    """Open a service with about that many quotes; one that was made on this server before is used again."""
    name = f"portfolio_{quotes}"
    is_finished = await _comment_on(server, name) == FINISHED
    if not is_finished:
        await drop_database(server, name)
        await create_database(server, name)
    dsn = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    await migrate(dsn)
    async with serving(dsn, folder / name, pool_size=8) as service:
        if not is_finished:
            await grow(service, dsn, quotes, await play_seeds(service), tell)
            await service.runtime.database.pool.execute(f"comment on database {name} is '{FINISHED}'")
        yield await as_its_partner(service)


async def grow(
    service: Service,
    dsn: str,
    quotes: int,
    seeds: Mapping[str, int],
    tell: Tell = lambda _done, _all: None,
) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await copy_companies(connection, quotes, seeds, tell)
        await leave_work(service)
        await connection.execute("vacuum analyze")
    finally:
        await connection.close()


async def _comment_on(server: str, name: str) -> str | None:
    connection = await asyncpg.connect(server)
    try:
        comment: str | None = await connection.fetchval(
            "select shobj_description(oid, 'pg_database') from pg_database where datname = $1", name
        )
    finally:
        await connection.close()
    return comment


async def as_its_partner(service: Service) -> Service:
    async with service.runtime.database.reading() as tx:
        partner_id = await tx.connection.fetchval("select partner_id from feeds")
        partner = await partners.find_partner_by_id(tx, partner_id)
    return replace(
        service,
        partner=partner,
        token=await issue_token(
            service.runtime.database,
            service.runtime.clock,
            service.runtime.settings,
            service.runtime.secret,
            partner,
            days=30,
        ),
    )
