"""A service with nothing to do leaves PostgreSQL alone, and is awake at once when there is something."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from bindery.worker import deliveries, engine, idle_press
from support.receiver import receiving
from support.service import Service, working
from support.telling import new_secret, register
from support.waiting import eventually

WINDOW_S = 15.0
"""Ten asks a second, as by one loop that polls, would be far beyond what is allowed in it."""
AT_THE_START = 70
"""What a worker asks when it starts; PostgreSQL may count it some seconds late."""
A_ROUND_OF_THE_TIMETABLE = 70
"""What is asked at the turn of a minute, which may fall into the window."""
AN_HOUR_S = 3_600.0


@pytest.fixture
async def connection(dsn: str) -> "AsyncIterator[asyncpg.Connection[asyncpg.Record]]":
    connection = await asyncpg.connect(dsn)
    yield connection
    await connection.close()


@pytest.fixture
async def dozing_service(service: Service, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Service]:
    """A service whose worker looks for itself once an hour, so that all it does it has heard of."""
    monkeypatch.setattr(deliveries, "DOZES_S", AN_HOUR_S)
    monkeypatch.setattr(idle_press, "DOZES_S", AN_HOUR_S)
    monkeypatch.setattr(engine, "DEQUEUE_TIMEOUT", timedelta(hours=1))
    async with working(service):
        yield service


async def asked(connection: "asyncpg.Connection[asyncpg.Record]") -> int:
    """Return how many transactions there were in the database; a statement alone is one too."""
    count: int = await connection.fetchval(
        "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()"
    )
    return count


async def has_unmade(service: Service) -> bool:
    async with service.runtime.database.reading() as tx:
        return await tx.value(bool, "select exists (select from packets where not documents_made)")


@pytest.mark.long
@pytest.mark.usefixtures("new_database")
async def test_an_idle_service_asks_at_most_once_a_second(
    working_service: Service, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    before, since = await asked(connection), time.monotonic()

    await asyncio.sleep(WINDOW_S)

    count, passed = await asked(connection) - before, time.monotonic() - since
    assert count <= passed + AT_THE_START + A_ROUND_OF_THE_TIMETABLE


async def test_what_is_submitted_is_worked_on_at_once_and_its_documents_are_made(
    dozing_service: Service,
) -> None:
    shown = await dozing_service.quote()

    assert shown["quote_status"] == "published"
    await eventually(lambda: has_unmade(dozing_service), lambda unmade: not unmade)


async def test_what_is_to_be_delivered_is_sent_at_once_also_after_the_listening_connection_was_lost(
    dozing_service: Service, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await new_secret(dozing_service)
    async with receiving() as receiver:
        webhook_id = await register(dozing_service, receiver.url)

        await dozing_service.post(f"/v2/webhooks/{webhook_id}/ping")
        await eventually(lambda: len(receiver.got) == 1)
        ended = await connection.fetchval(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where datname = current_database() and application_name = 'bindery-listener'"
        )
        await dozing_service.quote()
        await eventually(lambda: len(receiver.got) > 1)

    assert ended == 1


@pytest.mark.long
async def test_a_try_that_failed_is_repeated_when_it_is_due(dozing_service: Service) -> None:
    await new_secret(dozing_service)
    async with receiving() as receiver:
        webhook_id = await register(dozing_service, receiver.url)
        await dozing_service.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": 1})

        await dozing_service.post(f"/v2/webhooks/{webhook_id}/ping")

        await eventually(lambda: len(receiver.got) == 1)


async def test_a_job_of_a_dead_worker_is_taken_over(dozing_service: Service) -> None:
    async with dozing_service.runtime.database.transaction() as tx:
        await tx.execute(
            """
            insert into pgq.pgqueuer (priority, entrypoint, payload, status, heartbeat, queue_manager_id)
            values (0, 'process_submission', convert_to(gen_random_uuid()::text, 'UTF8'), 'picked', now(),
                    gen_random_uuid())
            """
        )

    async def jobs() -> int:
        async with dozing_service.runtime.database.reading() as tx:
            return await tx.value(int, "select count(*) from pgq.pgqueuer where status = 'picked'")

    assert await eventually(jobs, lambda count: count == 0) == 0
