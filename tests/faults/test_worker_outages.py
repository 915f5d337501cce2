"""The database is stopped, killed and frozen under working programs: they stay, and no work is lost."""

import asyncio
import contextlib
import signal
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.storage.database import UNAVAILABLE
from bindery.storage.jobs import queue
from support.binding import bind, shown
from support.own_postgres import OwnPostgres, own_postgres
from support.processes import Program, Running
from support.service import SECRET, Service, request_body, serving

pytestmark = pytest.mark.long

SUBMISSIONS = 12
IN_TIME_S = 120.0
AWAY = (*UNAVAILABLE, asyncpg.PostgresError)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnPostgres]:
    with own_postgres(tmp_path_factory.mktemp("own")) as server:
        yield server


@pytest.fixture
async def service(own: OwnPostgres, tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(own.dsn, tmp_path / "data") as service:
        yield service
        await service.runtime.database.pool.execute("delete from pgq.pgqueuer")


@pytest.fixture
def program(own: OwnPostgres, tmp_path: Path) -> Program:
    return Program(tmp_path, {"BINDERY_DATABASE_URL": own.dsn, "BINDERY_SECRET_KEY": SECRET})


async def until(what: str, look: Callable[[], Awaitable[bool]], *, seconds: float = IN_TIME_S) -> None:
    """Look until it is so; a database that is away has not said so yet."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                with contextlib.suppress(*AWAY):
                    if await look():
                        return
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(what) from None


async def said(worker: Running, words: str) -> None:
    async def look() -> bool:
        assert worker.process.poll() is None, worker.stderr
        return words in worker.stderr

    await until(f"the worker never said {words}: {worker.stderr}", look)


async def submitted(service: Service, count: int = SUBMISSIONS) -> list[uuid.UUID]:
    def change(body: dict[str, Any]) -> None:
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]

    receipts = await asyncio.gather(*(service.submit(request_body(change)) for _ in range(count)))
    return [uuid.UUID(receipt["quotes"][0]["quote_identifier"]) for receipt in receipts]


async def published(service: Service, quotes: list[uuid.UUID]) -> int:
    count: int = await service.runtime.database.pool.fetchval(
        "select count(*) from quotes where quote_id = any($1) and status = 'published'", quotes
    )
    return count


async def all_published(service: Service, quotes: list[uuid.UUID]) -> None:
    async def look() -> bool:
        return await published(service, quotes) == len(quotes)

    await until("not all were published", look)


async def check_nothing_was_an_attempt(service: Service, quotes: list[uuid.UUID]) -> None:
    """Fail if an outage left a failed job, used up an attempt, or showed in any quote."""
    pool = service.runtime.database.pool

    async def look() -> bool:
        return await service.count("pgq.pgqueuer") == 0

    await until("a job was left", look)
    counted = await pool.fetchval(
        "select count(*) from pgq.pgqueuer_log where status in ('failed', 'canceled')"
    )
    erring = await pool.fetchval(
        "select count(*) from quotes where quote_id = any($1) and error_occurred", quotes
    )
    assert (counted, erring) == (0, 0)


async def test_a_worker_started_while_the_database_is_away_waits_for_it(
    own: OwnPostgres, program: Program
) -> None:
    own.stop()
    try:
        with program.start("work") as worker:
            await said(worker, '"database_unavailable"')
            own.start()
            await said(worker, '"working"')

            code = await asyncio.to_thread(worker.stop, signal.SIGTERM)
    finally:
        own.start()

    assert code == 0
    assert "Traceback" not in worker.stderr


def restart(own: OwnPostgres) -> None:
    own.stop()
    own.start()


def kill(own: OwnPostgres) -> None:
    own.kill()
    own.start()


@pytest.mark.parametrize("interrupt", [restart, kill])
async def test_a_worker_outlives_the_database_and_finishes_everything(
    own: OwnPostgres, service: Service, program: Program, interrupt: Callable[[OwnPostgres], None]
) -> None:
    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        quotes = await submitted(service)
        await asyncio.to_thread(interrupt, own)

        await said(worker, '"worker_resumed"')
        await all_published(service, quotes)
        later = await submitted_when_back(service)
        await all_published(service, later)
        await check_nothing_was_an_attempt(service, [*quotes, *later])
        code = await asyncio.to_thread(worker.stop, signal.SIGTERM)

    assert code == 0
    assert '"worker_interrupted"' in worker.stderr


async def submitted_when_back(service: Service) -> list[uuid.UUID]:
    found: list[uuid.UUID] = []

    async def look() -> bool:
        answer = await service.post("/v2/quotes", request_body())
        if answer.status_code == 200:
            found.extend(uuid.UUID(row["quote_identifier"]) for row in answer.json()["quotes"])
        return bool(found)

    await until("nothing could be submitted", look)
    return found


async def test_a_database_that_hangs_for_a_while_is_waited_for(
    own: OwnPostgres, service: Service, program: Program
) -> None:
    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        quotes = await submitted(service)
        with own.frozen():
            # Longer than a job may be silent, so that jobs look abandoned when it moves again.
            await asyncio.sleep(6)

        await all_published(service, quotes)
        await check_nothing_was_an_attempt(service, quotes)
        assert worker.process.poll() is None


async def test_a_database_that_takes_no_writes_is_waited_for(
    own: OwnPostgres, service: Service, program: Program
) -> None:
    pool = service.runtime.database.pool

    async def set_read_only(value: str) -> None:
        await pool.execute(f"alter system set default_transaction_read_only = {value}")
        await pool.execute("select pg_reload_conf()")

    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        quotes = await submitted(service)
        await set_read_only("on")
        try:
            await said(worker, '"worker_interrupted"')
        finally:
            await set_read_only("off")

        await said(worker, '"worker_resumed"')
        await all_published(service, quotes)
        await check_nothing_was_an_attempt(service, quotes)


async def test_a_store_of_files_that_is_away_holds_jobs_up_and_uses_up_no_attempt(
    service: Service, program: Program
) -> None:
    files = service.runtime.settings.data_dir / "files"

    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        files.rename(files.with_name("away"))
        files.write_text("not a folder")
        # Quotes are published all the same; the documents of a bind have to wait.
        quotes = await submitted(service, 2)
        await all_published(service, quotes)
        bound = await bind(service, await shown(service, str(quotes[0])))

        async def look() -> bool:
            rows = await service.runtime.database.pool.fetch(
                "select attempts, (headers->>'held_up')::int from pgq.pgqueuer"
            )
            return len(rows) == 1 and all(attempts == 0 and (held or 0) >= 2 for attempts, held in rows)

        await until("the job was not held up", look)
        files.unlink()
        files.with_name("away").rename(files)

        async def is_told() -> bool:
            journal = await service.journal(bound["quote_identifier"])
            return "policy.document_ready" in {entry.type for entry in journal}

        await until("the documents of the bind were not made", is_told)
        await check_nothing_was_an_attempt(service, quotes)

    assert '"outcome":"held_up"' in worker.stderr
    assert '"outcome":"done"' in worker.stderr


async def test_a_worker_told_to_stop_while_the_database_is_away_ends_with_0_and_loses_nothing(
    own: OwnPostgres, service: Service, program: Program
) -> None:
    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        quotes = await submitted(service)
        own.stop()
        try:
            await said(worker, '"worker_interrupted"')
            code = await asyncio.to_thread(worker.stop, signal.SIGTERM)
        finally:
            own.start()
    with program.start("work", "--concurrency", "4"):
        await all_published(service, quotes)
        await check_nothing_was_an_attempt(service, quotes)

    assert code == 0
    assert '"event":"stopped"' in worker.stderr


async def test_jobs_that_a_lost_answer_had_taken_do_not_fill_up_the_worker(
    service: Service, program: Program
) -> None:
    pool = service.runtime.database.pool
    quotes = await submitted(service, 4)
    await pool.execute("update pgq.pgqueuer set status = 'failed'")
    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        await service.submit(request_body(lambda body: body["client"].update(domains=["slow.example.com"])))
        # Its name is kept by the look that finds it: on a busy machine the slow job may be done by the next.
        name = await name_of_the_worker(service)
        # As many as the worker may work on are taken in its name, and it knows nothing of them.
        await pool.execute(
            """
            update pgq.pgqueuer
            set status = 'picked', heartbeat = now() - interval '1 hour', queue_manager_id = $1
            where status = 'failed'
            """,
            name,
        )

        await lose_an_answer(service)

        await all_published(service, quotes)


async def lose_an_answer(service: Service) -> None:
    """End a connection of the queue in the middle of a statement: one that is idle is replaced unnoticed."""
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("lock table pgq.pgqueuer in access exclusive mode")

        async def look() -> bool:
            return bool(
                await connection.fetch(
                    """
                    select pg_terminate_backend(pid) from pg_stat_activity
                    where application_name = 'bindery-queue' and datname = current_database()
                      and wait_event_type = 'Lock'
                    """
                )
            )

        await until("the worker never asked for jobs", look)


async def name_of_the_worker(service: Service) -> uuid.UUID:
    """Wait until a job is taken, and return who took it."""
    found: list[uuid.UUID] = []

    async def look() -> bool:
        found.extend(
            row[0]
            for row in await service.runtime.database.pool.fetch(
                "select queue_manager_id from pgq.pgqueuer where status = 'picked'"
            )
        )
        return bool(found)

    await until("nobody took the slow one", look)
    return found[0]


async def test_an_engine_that_a_bug_ends_is_started_anew(service: Service, program: Program) -> None:
    pool = service.runtime.database.pool
    with program.start("work", "--concurrency", "4") as worker:
        await said(worker, '"working"')
        await pool.execute("alter table pgq.pgqueuer rename column heartbeat to beat")
        try:
            await said(worker, '"worker_crashed"')
        finally:
            await pool.execute("alter table pgq.pgqueuer rename column beat to heartbeat")
        quotes = await submitted(service, 2)

        await all_published(service, quotes)
        code = await asyncio.to_thread(worker.stop, signal.SIGTERM)

    assert code == 0


async def test_the_times_an_outage_held_a_job_up_are_known_to_whoever_does_it(service: Service) -> None:
    (quote,) = await submitted(service, 1)
    pool = service.runtime.database.pool
    about = str(await pool.fetchval("select submission_id from quotes where quote_id = $1", quote))
    await pool.execute("update pgq.pgqueuer set headers = headers || '{\"held_up\": 3}'")

    async with service.runtime.database.reading() as tx:
        assert await queue.times_held_up(tx, PROCESS_SUBMISSION, about) == 3
        assert await queue.times_held_up(tx, PROCESS_SUBMISSION, str(quote)) == 0
