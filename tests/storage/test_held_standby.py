"""A commit that waits for its standby: whoever gives it up leaves it waiting, and nobody is told of it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from bindery.storage import database as database_module
from bindery.storage.migrate import migrate
from support.debian_postgres import DebianPostgres, debian_postgres, standby_of
from support.service import Service, request_body, serving
from support.waiting import eventually

pytestmark = pytest.mark.long

WAITING = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def primary() -> Iterator[DebianPostgres]:
    with debian_postgres() as server:
        asyncio.run(migrate(server.dsn))
        yield server


@pytest.fixture
async def standby(primary: DebianPostgres) -> AsyncIterator[DebianPostgres]:
    """A standby without which no commit is answered."""
    with standby_of(primary) as server:
        await run(primary, "alter system set synchronous_standby_names = '*'")
        await run(primary, "select pg_reload_conf()")
        synchronous = "select count(*) from pg_stat_replication where sync_state = 'sync'"
        await eventually(lambda: run(primary, synchronous), lambda count: count == 1)
        yield server
        await run(primary, "alter system reset synchronous_standby_names")
        await run(primary, "select pg_reload_conf()")


async def run(server: DebianPostgres, statement: str) -> object:
    connection = await asyncpg.connect(server.dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


@pytest.fixture
async def service(
    primary: DebianPostgres, standby: DebianPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Service]:
    monkeypatch.setattr(database_module, "STATEMENT_WITHIN_S", 2.0)
    async with serving(primary.dsn, tmp_path) as opened:
        await opened.submit()
        yield opened


async def test_a_submission_whose_standby_is_held_is_503_and_not_to_be_seen(
    service: Service, primary: DebianPostgres, standby: DebianPostgres
) -> None:
    async with asyncio.timeout(60):
        with standby.frozen():
            answer = await service.post("/v2/quotes", request_body())
            waiting, seen = (
                await run(primary, WAITING),
                await run(primary, "select count(*) from submissions"),
            )

    assert answer.status_code == 503
    assert (waiting, seen) == (1, 1)
    # It was a commit, and is one as soon as the standby has it.
    await eventually(lambda: run(primary, "select count(*) from submissions"), lambda count: count == 2)


async def test_a_commit_whose_caller_leaves_goes_on_waiting(
    service: Service, primary: DebianPostgres, standby: DebianPostgres
) -> None:
    async def write() -> None:
        async with service.runtime.database.transaction() as tx:
            await tx.execute("update partners set contact_email = 'nobody@example.com'")

    told = "select count(*) from partners where contact_email = 'nobody@example.com'"
    with standby.frozen():
        writing = asyncio.create_task(write())
        await eventually(lambda: run(primary, WAITING), lambda count: count == 1)
        writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await writing
        # Whoever had canceled it would have done so by now.
        await asyncio.sleep(0.5)
        waiting, seen = await run(primary, WAITING), await run(primary, told)

    assert (waiting, seen) == (1, 0)
    await eventually(lambda: run(primary, told), bool)


async def test_a_standby_that_is_held_for_less_than_the_limit_delays_the_answer_alone(
    service: Service, primary: DebianPostgres, standby: DebianPostgres
) -> None:
    with standby.frozen():
        asking = asyncio.create_task(service.post("/v2/quotes", request_body()))
        await eventually(lambda: run(primary, WAITING), lambda count: count == 1)
        is_answered = asking.done()

    assert not is_answered
    assert (await asking).status_code == 200
