"""The database stops, dies, freezes or is not there yet: the servers stay, say so, and come back with it."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from bindery.actions.access.issue_token import issue_token
from bindery.runtime import running
from bindery.settings import Settings
from bindery.storage.access import partners
from bindery.storage.revision import own_chain
from support.own_postgres import OwnPostgres, own_postgres
from support.processes import Program, Running, copies_of, free_port, wait_for
from support.service import BROKER, SECRET, request_body

pytestmark = pytest.mark.long

ANSWERED_WITHIN_S = 5.0
"""Two seconds on a machine with nothing else to do."""

BACK_WITHIN_S = 60.0


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[OwnPostgres]:
    """A migrated server of the test's own, beyond the reach of the program."""
    with own_postgres(tmp_path / "own") as own:
        yield own


@pytest.fixture
def program(postgres: OwnPostgres, tmp_path: Path) -> Program:
    return Program(tmp_path, {"BINDERY_DATABASE_URL": postgres.dsn, "BINDERY_SECRET_KEY": SECRET})


async def new_token(dsn: str, folder: Path) -> str:
    settings = Settings(data_dir=folder, database_url=dsn, secret_key=SECRET)
    async with running(settings, dsn) as runtime:
        async with runtime.database.transaction() as tx:
            partner = await partners.add_partner(tx, "Northwind")
            await partners.add_broker(tx, partner, BROKER)
        return await issue_token(
            runtime.database, runtime.clock, runtime.settings, runtime.secret, partner, days=30
        )


@asynccontextmanager
async def client_of(server: Running, token: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=60
    ) as http:
        yield http


async def post(http: httpx.AsyncClient) -> httpx.Response:
    return await http.post("/v2/quotes", json=request_body())


async def check_away(http: httpx.AsyncClient, path: str) -> None:
    """Ask for everything while the database is away, more often than there are connections."""
    started = time.monotonic()
    answers = await asyncio.gather(
        *(post(http) for _ in range(12)), *(http.get(path) for _ in range(12)), http.get("/v2/events")
    )
    took_s = time.monotonic() - started
    alive, ready = await http.get("/livez"), await http.get("/readyz")

    assert {(answer.status_code, answer.headers.get("Retry-After")) for answer in answers} == {(503, "2")}
    assert {answer.json()["code"] for answer in answers} == {"unavailable"}
    assert took_s < ANSWERED_WITHIN_S
    assert (alive.status_code, ready.status_code) == (200, 503)


async def back(http: httpx.AsyncClient) -> httpx.Response:
    until = time.monotonic() + BACK_WITHIN_S
    while (answer := await post(http)).status_code == 503 and time.monotonic() < until:  # noqa: ASYNC110 - another process has no event
        await asyncio.sleep(0.1)
    return answer


def logged(server: Running, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in server.stderr.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize("end", [OwnPostgres.stop, OwnPostgres.stop_at_once, OwnPostgres.kill])
async def test_a_server_outlives_a_database_that_goes_and_comes_back(
    postgres: OwnPostgres, program: Program, tmp_path: Path, end: Callable[[OwnPostgres], None]
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    with program.serving() as server:
        async with client_of(server, token) as http:
            receipt = (await post(http)).json()
            path = f"/v2/quotes/{receipt['quotes'][0]['quote_identifier']}"

            await asyncio.to_thread(end, postgres)
            await check_away(http, path)
            await asyncio.to_thread(postgres.start)
            after = await back(http)
            found = await http.get(path)
        code = await asyncio.to_thread(server.stop, signal.SIGTERM)

    assert (after.status_code, found.status_code) == (200, 202)
    assert len(logged(server, "database_unavailable")) == 1
    (told,) = logged(server, "database_back")
    assert told["seconds"] > 0
    assert logged(server, "crash") == []
    assert code == 0


async def test_a_frozen_database_is_not_waited_for(
    postgres: OwnPostgres, program: Program, tmp_path: Path
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    with program.serving() as server:
        async with client_of(server, token) as http:
            receipt = (await post(http)).json()
            path = f"/v2/quotes/{receipt['quotes'][0]['quote_identifier']}"

            with postgres.frozen():
                await check_away(http, path)
                await check_away(http, path)
            thawed = time.monotonic()
            after = await back(http)
            took_s = time.monotonic() - thawed

    assert after.status_code == 200
    assert took_s < ANSWERED_WITHIN_S
    assert len(logged(server, "database_unavailable")) == len(logged(server, "database_back")) == 1
    assert logged(server, "crash") == []


async def test_a_server_told_to_stop_does_not_wait_for_a_frozen_database(
    postgres: OwnPostgres, program: Program, tmp_path: Path
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    with program.serving() as server:
        async with client_of(server, token) as http:
            assert (await post(http)).status_code == 200
        with postgres.frozen():
            code = await asyncio.to_thread(server.stop, signal.SIGTERM)

    assert code == 0


async def test_a_slow_statement_on_a_server_that_answers_is_not_broken_off(
    postgres: OwnPostgres, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, database_url=postgres.dsn, secret_key=SECRET)
    async with running(settings, postgres.dsn) as runtime, runtime.database.reading() as tx:
        slept = await tx.connection.fetchval("select 'rested' from pg_sleep(4)")

    assert slept == "rested"


async def test_a_server_started_before_its_database_serves_when_that_is_there(
    postgres: OwnPostgres, program: Program, tmp_path: Path
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    await asyncio.to_thread(postgres.stop)
    port = free_port()
    with program.start("serve", "--port", str(port)) as server:
        server.url = f"http://127.0.0.1:{port}"
        async with client_of(server, token) as http:
            await until_alive(http, server)
            await check_away(http, "/v2/quotes/any")
            await asyncio.to_thread(postgres.start)
            after = await back(http)

    assert after.status_code == 200
    assert len(logged(server, "database_unavailable")) == len(logged(server, "database_back")) == 1


async def test_a_demo_started_before_its_database_greets_when_that_is_there(
    postgres: OwnPostgres, program: Program
) -> None:
    await asyncio.to_thread(postgres.stop)
    port = free_port()
    with program.start("demo", "--port", str(port)) as demo:
        demo.url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=demo.url, timeout=60) as http:
            await until_alive(http, demo)
            ready = await http.get("/readyz")
            await asyncio.to_thread(postgres.start)
            greeted = program.data / "demo_url"
            await wait_for(greeted.is_file, until=bool, seconds=BACK_WITHIN_S)
            http.headers["Authorization"] = f"Bearer {demo.token}"
            quoted = (await post(http)).json()["quotes"][0]["quote_identifier"]
            answer = await http.get(f"/v2/quotes/{quoted}", headers={"Prefer": "wait=60"})
        code = await asyncio.to_thread(demo.stop, signal.SIGTERM)

    assert ready.status_code == 503
    assert answer.json()["quote_status"] == "published"
    assert code == 0


async def test_a_server_started_before_its_database_does_not_work_on_other_tables(
    postgres: OwnPostgres, program: Program, tmp_path: Path
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    await set_revision(postgres.dsn, "0000")
    await asyncio.to_thread(postgres.stop)
    port = free_port()
    with program.start("serve", "--port", str(port)) as server:
        server.url = f"http://127.0.0.1:{port}"
        async with client_of(server, token) as http:
            await until_alive(http, server)
            await asyncio.to_thread(postgres.start)
            await wait_for(lambda: logged(server, "database_back"), until=bool)
            before = [await post(http), await http.get("/readyz")]
            await set_revision(postgres.dsn, own_chain().newest)
            after = await back(http)

    assert [answer.status_code for answer in before] == [503, 503]
    assert after.status_code == 200


async def test_a_copy_that_dies_while_the_database_is_away_is_replaced(
    postgres: OwnPostgres, program: Program, tmp_path: Path
) -> None:
    token = await new_token(postgres.dsn, tmp_path)
    with program.serving("--processes", "2") as server:
        copies = await wait_for(lambda: copies_of(server), until=lambda found: len(found) == 2)
        await asyncio.to_thread(postgres.stop)

        os.kill(copies[0], signal.SIGKILL)
        replaced = await wait_for(
            lambda: copies_of(server), until=lambda found: len(found) == 2 and copies[0] not in found
        )
        async with client_of(server, token) as http:
            await check_away(http, "/v2/quotes/any")
        os.kill(copies[1], signal.SIGKILL)
        again = await wait_for(
            lambda: copies_of(server), until=lambda found: len(found) == 2 and copies[1] not in found
        )
        await asyncio.to_thread(postgres.start)
        async with client_of(server, token) as http:
            after = await back(http)
        code = await asyncio.to_thread(server.stop, signal.SIGTERM)

    assert copies[1] in replaced
    assert not set(copies) & set(again)
    assert after.status_code == 200
    assert [(line["pid"], line["exit_code"]) for line in logged(server, "process_replaced")] == [
        (copies[0], -signal.SIGKILL),
        (copies[1], -signal.SIGKILL),
    ]
    assert code == 0


async def set_revision(dsn: str, revision: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update alembic_version set version_num = $1", revision)
    await connection.close()


async def until_alive(http: httpx.AsyncClient, server: Running) -> None:
    until = time.monotonic() + BACK_WITHIN_S
    while time.monotonic() < until:
        assert server.process.poll() is None, server.stderr
        try:
            if (await http.get("/livez")).status_code == 200:
                return
        except httpx.TransportError:
            await asyncio.sleep(0.05)
    raise AssertionError(f"not alive in time: {server.stderr}")
