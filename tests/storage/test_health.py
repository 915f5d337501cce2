"""What counts as a database that is away, and what as one that is not ours."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.base.errors import DatabaseUnreachable, InvalidRequest, Misconfigured
from bindery.storage import health, watch
from bindery.storage.database import UNAVAILABLE
from bindery.storage.health import check_database
from bindery.storage.revision import own_chain
from support.database_proxy import database_proxy
from support.service import Service, request_body, working
from support.waiting import eventually


@pytest.fixture
async def full_role(dsn: str) -> AsyncIterator[str]:
    """A role that may have no more connections."""
    name = f"full_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(dsn)
    await connection.execute(f"create role {name} login connection limit 0")
    yield name
    await connection.execute(f"drop role {name}")
    await connection.close()


@pytest.mark.parametrize(
    "fault",
    [
        TimeoutError,
        ConnectionResetError,
        ConnectionRefusedError,
        asyncpg.DiskFullError,
        asyncpg.TooManyConnectionsError,
        asyncpg.CannotConnectNowError,
        asyncpg.AdminShutdownError,
        asyncpg.CrashShutdownError,
        asyncpg.QueryCanceledError,
        asyncpg.DeadlockDetectedError,
        asyncpg.ReadOnlySQLTransactionError,
        asyncpg.ConnectionDoesNotExistError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
    ],
)
def test_what_may_pass_is_answered_as_unavailable(fault: type[Exception]) -> None:
    assert issubclass(fault, UNAVAILABLE)


@pytest.mark.parametrize(
    "fault",
    [asyncpg.UniqueViolationError, asyncpg.UndefinedTableError, asyncpg.PostgresSyntaxError, KeyError],
)
def test_a_bug_is_not_taken_for_an_outage(fault: type[Exception]) -> None:
    assert not issubclass(fault, UNAVAILABLE)


async def test_a_database_that_is_ours_passes(dsn: str) -> None:
    await check_database(dsn)


async def test_a_database_with_other_tables_is_not_ours(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute("update alembic_version set version_num = '0000'")
    await connection.close()

    with pytest.raises(InvalidRequest, match="run `bindery migrate` first"):
        await check_database(dsn)


async def test_a_database_where_nobody_answers_is_away(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachable):
        await check_database(f"postgresql://nobody@/nothing?host={tmp_path}")


async def test_a_database_without_room_for_one_more_is_away(dsn: str, full_role: str) -> None:
    with pytest.raises(DatabaseUnreachable, match="too many connections"):
        await check_database(dsn.replace("bindery@", f"{full_role}@"))


async def test_a_database_that_is_lost_before_it_answers_is_away(dsn: str) -> None:
    async with database_proxy(dsn) as proxy:
        proxy.cuts_after = b"alembic_version"

        with pytest.raises(DatabaseUnreachable, match="The database cannot be reached: "):
            await check_database(proxy.dsn)

    assert proxy.cuts == 1


async def test_whoever_waits_for_the_tables_goes_on_once_they_are_there(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOOK_EVERY_S", 0.01)
    database = service.runtime.database
    await database.pool.execute("update alembic_version set version_num = '0000'")
    waiting = asyncio.create_task(health.wait_until_ready(database))

    _, still_waiting = await asyncio.wait({waiting}, timeout=0.2)
    await database.pool.execute("update alembic_version set version_num = $1", own_chain().newest)
    await waiting

    assert still_waiting == {waiting}


async def test_a_database_that_lets_nobody_in_is_not_away(dsn: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        await check_database(dsn.replace("bindery@", "somebody@"))

    assert not isinstance(refused.value, DatabaseUnreachable)


@pytest.fixture
def short_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that looks often whether its database is still its own."""
    monkeypatch.setattr(watch, "QUIET_BEAT_EVERY_S", 0.1)


@pytest.mark.usefixtures("short_beats")
async def test_a_process_that_runs_leaves_the_tables_of_a_newer_version_alone(service: Service) -> None:
    database = service.runtime.database
    await database.pool.execute("update alembic_version set version_num = '9999'")
    await eventually(lambda: database.watch.is_away, bool)
    async with working(service):
        refused = await service.post("/v2/quotes", request_body())
        page = await service.http.get("/v2/quotes", headers=service.headers)
        nothing = await service.count("submissions")

        await database.pool.execute("update alembic_version set version_num = $1", own_chain().newest)
        await eventually(lambda: not database.watch.is_away, bool)
        quote = await service.quote()

    assert (refused.status_code, page.status_code, nothing) == (503, 503, 0)
    assert refused.headers["retry-after"]
    assert quote["quote_status"]


@pytest.mark.usefixtures("short_beats")
async def test_a_worker_takes_no_job_from_the_tables_of_a_newer_version(
    service: Service, log_lines: Callable[[], list[dict[str, Any]]]
) -> None:
    database = service.runtime.database
    await service.submit()
    await database.pool.execute("update alembic_version set version_num = '9999'")
    await eventually(lambda: database.watch.is_away, bool)

    async with working(service):
        await eventually(
            lambda: [line for line in log_lines() if line["event"] == "worker_interrupted"], bool
        )
        waiting = await database.pool.fetch("select distinct status::text from pgq.pgqueuer")

    assert [row["status"] for row in waiting] == ["queued"]
