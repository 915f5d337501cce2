"""Statements through PgBouncer in transaction mode, and listening, migrations and the queue beside it."""

import asyncio
import contextlib
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from tools.pgbouncer import pgbouncer

from bindery.base.errors import Misconfigured
from bindery.storage.health import check_direct
from bindery.storage.migrate import migrate
from support.debian_postgres import DebianPostgres, account, debian_postgres
from support.processes import Program, free_port
from support.service import Service, serving, working

pytestmark = pytest.mark.long

SERVERS = 3
"""Connections that PgBouncer has to the server; the service has more to PgBouncer."""


@pytest.fixture(scope="module")
def server() -> Iterator[DebianPostgres]:
    with debian_postgres() as found:
        asyncio.run(migrate(found.dsn))
        yield found


@pytest.fixture(scope="module")
def pooler(server: DebianPostgres) -> Iterator[str]:
    """The address of a PgBouncer before the server."""
    command = pgbouncer()
    if command is None:
        pytest.skip("PgBouncer is not there: see tools/pgbouncer.py")
    port = free_port()
    (server.folder / "users").write_text('"bindery" ""\n')
    (server.folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={server.folder}\n[pgbouncer]\nlisten_port = {port}\nlisten_addr = 127.0.0.1\n"
        f"unix_socket_dir =\nauth_type = trust\nauth_file = {server.folder / 'users'}\n"
        f"pool_mode = transaction\ndefault_pool_size = {SERVERS}\nmax_client_conn = 100\n"
    )
    running = subprocess.Popen(
        [*command.arguments, "-q", str(server.folder / "pgbouncer.ini")],
        env=command.environment,
        user=account(),
        cwd=server.folder,
    )
    dsn = f"postgresql://bindery@127.0.0.1:{port}/postgres"
    try:
        _wait_for(dsn)
        yield dsn
    finally:
        running.terminate()
        running.wait(60)


def _wait_for(dsn: str) -> None:
    async def ask() -> None:
        await (await asyncpg.connect(dsn, statement_cache_size=0)).close()

    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            asyncio.run(ask())
            return
        assert time.monotonic() < until, "PgBouncer does not answer"
        time.sleep(0.05)


@pytest.fixture
async def service(server: DebianPostgres, pooler: str, tmp_path: Path) -> AsyncIterator[Service]:
    settings = {"database_url": pooler, "database_pooled": True, "database_direct_url": server.dsn}
    async with serving(server.dsn, tmp_path, pool_size=8, **settings) as opened, working(opened):
        yield opened


async def test_quotes_are_made_by_more_connections_than_the_pooler_has(service: Service) -> None:
    made = await asyncio.gather(*(service.quote() for _ in range(16)))
    listed = (await service.get("/v2/quotes?limit=100")).json()["quotes"]

    assert {quote["quote_status"] for quote in made} == {"published"}
    assert {quote["quote_identifier"] for quote in made} <= {quote["quote_identifier"] for quote in listed}


async def test_statements_go_through_the_pooler_and_listeners_beside_it(
    service: Service, server: DebianPostgres
) -> None:
    await asyncio.gather(*(service.submit() for _ in range(16)))

    connection = await asyncpg.connect(server.dsn)
    rows = await connection.fetch(
        "select application_name as name, count(*) from pg_stat_activity group by 1"
    )
    await connection.close()
    counts = {row["name"]: row["count"] for row in rows}

    assert 1 <= counts["bindery"] <= SERVERS
    assert counts["bindery-listener"] == 1
    assert counts["bindery-queue"] >= 1


async def test_a_direct_address_that_is_a_poolers_is_refused(
    server: DebianPostgres, pooler: str, tmp_path: Path
) -> None:
    program = Program(
        tmp_path,
        {
            "BINDERY_DATABASE_URL": pooler,
            "BINDERY_DATABASE_POOLED": "yes",
            "BINDERY_DATABASE_DIRECT_URL": pooler,
        },
    )

    with pytest.raises(Misconfigured) as refusal:
        await check_direct(pooler)
    ended = await asyncio.to_thread(program.run, "serve")
    await check_direct(server.dsn)

    sentence = (
        "BINDERY_DATABASE_DIRECT_URL leads to a pooler: a listener there did not hear its own notice within "
        "a second."
    )
    assert refusal.value.message == sentence
    assert ended.complaint == sentence
