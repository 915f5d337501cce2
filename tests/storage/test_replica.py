"""Lists from a standby, which never show less than somebody was told, whatever becomes of the standby."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.base.errors import Misconfigured
from bindery.storage.database import Reader
from bindery.storage.migrate import migrate
from bindery.storage.replica import check_replica
from support.debian_postgres import DebianPostgres, debian_postgres, standby_of
from support.processes import Program
from support.service import Service, serving
from support.waiting import eventually

pytestmark = pytest.mark.long

Log = Callable[[], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def primary() -> Iterator[DebianPostgres]:
    with debian_postgres() as server:
        asyncio.run(migrate(server.dsn))
        yield server


@pytest.fixture
def standby(primary: DebianPostgres) -> Iterator[DebianPostgres]:
    with standby_of(primary) as server:
        yield server


@pytest.fixture
async def service(primary: DebianPostgres, standby: DebianPostgres, tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(primary.dsn, tmp_path, replica_url=standby.dsn) as opened:
        await eventually(lambda: is_from_standby(opened), bool)
        yield opened


async def is_from_standby(service: Service) -> bool:
    return await service.runtime.database.read(ask_which)


async def ask_which(tx: Reader) -> bool:
    return await tx.value(bool, "select pg_is_in_recovery()")


async def run(server: DebianPostgres, statement: str) -> object:
    connection = await asyncpg.connect(server.dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def listed(service: Service) -> list[str]:
    answer = await service.get("/v2/quotes?limit=100")
    assert answer.status_code == 200, answer.text
    return [quote["quote_identifier"] for quote in answer.json()["quotes"]]


async def submit(service: Service) -> str:
    receipt = await service.submit()
    identifier: str = receipt["quotes"][0]["quote_identifier"]
    return identifier


async def test_a_list_has_what_was_just_written_each_time(service: Service) -> None:
    for _ in range(40):
        identifier = await submit(service)

        assert identifier in await listed(service)

    assert await is_from_standby(service)


async def test_what_one_was_told_through_another_process_is_in_the_list(
    service: Service, primary: DebianPostgres, tmp_path: Path
) -> None:
    known = service.partner, service.token
    async with serving(primary.dsn, tmp_path / "other", partner=known) as other:
        for _ in range(20):
            identifier = await submit(other)

            assert identifier in await listed(service)


async def test_a_standby_that_does_not_replay_is_not_shown(service: Service, standby: DebianPostgres) -> None:
    await run(standby, "select pg_wal_replay_pause()")

    identifier = await submit(service)
    seen, was_from_standby = await listed(service), await is_from_standby(service)
    await run(standby, "select pg_wal_replay_resume()")

    assert identifier in seen
    assert not was_from_standby
    await eventually(lambda: is_from_standby(service), bool)


async def test_a_standby_far_behind_is_left_alone_and_the_log_says_so_once(
    service: Service, primary: DebianPostgres, standby: DebianPostgres, log_lines: Log
) -> None:
    def said() -> list[str]:
        return [line["event"] for line in log_lines() if line["event"].startswith("replica_")]

    await run(standby, "select pg_wal_replay_pause()")
    await run(primary, "select pg_logical_emit_message(true, 'x', repeat('x', 17 * 1024 * 1024))::text")
    await eventually(said, bool)
    identifier = await submit(service)
    seen = await listed(service)
    await asyncio.sleep(2.5)  # as long as it takes to look twice more
    told = said()
    await run(standby, "select pg_wal_replay_resume()")

    assert identifier in seen
    assert told == ["replica_unfit"]
    (line,) = [line for line in log_lines() if line["event"] == "replica_unfit"]
    assert line["reason"] == "it is 17 MB behind the primary"
    await eventually(lambda: is_from_standby(service), bool)
    assert said() == ["replica_unfit", "replica_back"]


async def test_a_standby_that_stops_is_done_without_until_it_is_back(
    service: Service, standby: DebianPostgres
) -> None:
    await asyncio.to_thread(standby.stop)
    for _ in range(5):
        identifier = await submit(service)
        assert identifier in await listed(service)

    await asyncio.to_thread(standby.start)
    await eventually(lambda: is_from_standby(service), bool)


async def test_readers_of_a_standby_that_freezes_are_answered_by_the_primary(
    service: Service, standby: DebianPostgres
) -> None:
    async def slow(tx: Reader) -> bool:
        if found := await ask_which(tx):
            await tx.connection.fetchval("select pg_sleep(60)")
        return found

    reading = asyncio.create_task(service.runtime.database.read(slow))
    await eventually(
        lambda: run(standby, "select count(*) from pg_stat_activity where query ~ 'pg_sleep.60'"),
        lambda n: n == 2,
    )
    with standby.frozen():
        was_from_standby = await reading
        identifier = await submit(service)
        seen = await listed(service)

    assert not was_from_standby
    assert identifier in seen
    await eventually(lambda: is_from_standby(service), bool)


async def test_a_reader_that_the_standby_throws_out_is_answered_by_the_primary(service: Service) -> None:
    asked = []

    async def ask(tx: Reader) -> bool:
        asked.append(await ask_which(tx))
        if asked[-1]:
            await tx.connection.fetchval("select pg_terminate_backend(pg_backend_pid())")
        return asked[-1]

    assert await service.runtime.database.read(ask) is False
    assert asked == [True, False]


async def test_a_standby_that_was_promoted_is_not_read_from(
    service: Service, standby: DebianPostgres
) -> None:
    await asyncio.to_thread(standby.run, "pg_ctl", "promote", "--wait")

    identifier = await submit(service)

    assert identifier in await listed(service)
    assert not await is_from_standby(service)


async def test_a_server_of_another_system_is_refused_at_start(
    primary: DebianPostgres, tmp_path: Path
) -> None:
    with debian_postgres() as stranger:
        with pytest.raises(Misconfigured) as refusal:
            await check_replica(stranger.dsn, primary.dsn)
        theirs, ours = [
            await run(server, "select system_identifier from pg_control_system()")
            for server in (stranger, primary)
        ]
        program = Program(
            tmp_path, {"BINDERY_DATABASE_URL": primary.dsn, "BINDERY_REPLICA_URL": stranger.dsn}
        )
        ended = await asyncio.to_thread(program.run, "work")

    sentence = (
        f"BINDERY_REPLICA_URL leads to another system than BINDERY_DATABASE_URL: its identifier is {theirs}, "
        f"that of the primary {ours}."
    )
    assert refusal.value.message == sentence
    assert ended.complaint == sentence


async def test_a_standby_that_is_away_at_the_start_and_the_primary_itself_are_taken(
    primary: DebianPostgres, tmp_path: Path
) -> None:
    await check_replica(f"postgresql://bindery@/postgres?host={tmp_path}", primary.dsn)
    await check_replica(primary.dsn, primary.dsn)
