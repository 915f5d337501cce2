"""The worker: PgQueuer's engine on the same database, with our entrypoints and timetable."""

import asyncio
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import asyncpg
from pgqueuer.adapters.persistence import qb
from pgqueuer.applications import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.domain.settings import DBSettings
from pgqueuer.errors import RetryRequested
from pgqueuer.executors import DatabaseRetryEntrypointExecutor, EntrypointExecutorParameters
from pgqueuer.models import Job, Schedule
from pgqueuer.queries import Queries

from bindery.actions.process_submission import TryAgain
from bindery.metrics import job_seconds
from bindery.runtime import Runtime
from bindery.worker.deliveries import run_deliveries
from bindery.worker.entrypoints import ENTRYPOINTS, Entrypoint
from bindery.worker.timetable import TIMETABLE, TimetableEntry

HEARTBEAT_TIMEOUT: Final = timedelta(seconds=4)
"""A job whose worker has been silent for this long is taken over by another."""

DEQUEUE_TIMEOUT: Final = timedelta(seconds=1)
MOST_TRIES: Final = 5


async def run_worker(runtime: Runtime, *, concurrency: int, stop: asyncio.Event | None = None) -> None:
    """Work until cancelled or told to stop; what is being worked on is finished first."""
    # The engine has a pool of its own: listening holds a connection for good.
    async with asyncpg.create_pool(
        runtime.dsn,
        min_size=2,
        max_size=4,
        server_settings={"application_name": "bindery-queue", "jit": "off"},
    ) as pool:
        engine = _engine(pool)
        if stop is not None:
            engine.shutdown = engine.qm.shutdown = engine.sm.shutdown = stop
        _register_jobs(engine, runtime)
        _register_timetable(engine, runtime)
        delivering = asyncio.create_task(run_deliveries(runtime, engine.shutdown))
        try:
            await engine.run(
                dequeue_timeout=DEQUEUE_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                batch_size=max(1, concurrency // 2),
                max_concurrent_tasks=concurrency,
            )
        finally:
            engine.shutdown.set()
            await delivering


def _engine(pool: "asyncpg.Pool[asyncpg.Record]") -> PgQueuer:
    settings = DBSettings(db_schema="pgq")
    driver = AsyncpgPoolDriver(pool)
    queries = Queries(
        driver,
        qbe=qb.QueryBuilderEnvironment(settings),
        qbq=qb.QueryQueueBuilder(settings),
        qbs=qb.QuerySchedulerBuilder(settings),
    )
    return PgQueuer(driver, queries=queries)


def _retrying(parameters: EntrypointExecutorParameters) -> DatabaseRetryEntrypointExecutor:
    return DatabaseRetryEntrypointExecutor(parameters, max_attempts=MOST_TRIES)


def _register_jobs(engine: PgQueuer, runtime: Runtime) -> None:
    """Give each kind of job its action; one that fails for good is held for a person to see."""
    for name, action in ENTRYPOINTS.items():

        @engine.entrypoint(name, on_failure="hold", executor_factory=_retrying)
        async def do(job: Job, action: Entrypoint = action) -> None:
            with _observed(job):
                outcome = await action(runtime, _id_in(job))
                if isinstance(outcome, TryAgain):
                    raise RetryRequested(delay=outcome.after)


@contextmanager
def _observed(job: Job) -> Iterator[None]:
    """Note in the metrics how long a job took and how it ended."""
    started, outcome = time.perf_counter(), "again"
    try:
        yield
        outcome = "done"
    except Exception as fault:
        if job.attempts >= MOST_TRIES and not isinstance(fault, RetryRequested):
            outcome = "failed"
        raise
    finally:
        job_seconds.labels(job.entrypoint, outcome).observe(time.perf_counter() - started)


def _register_timetable(engine: PgQueuer, runtime: Runtime) -> None:
    """Run the sweeps; the engine sees to it that one worker does each."""
    for name, entry in TIMETABLE.items():

        @engine.schedule(name, entry.cron)
        async def look(_schedule: Schedule, entry: TimetableEntry = entry) -> None:
            await entry.action(runtime)


def _id_in(job: Job) -> uuid.UUID:
    assert job.payload is not None, "every job of ours names what it is about"
    return uuid.UUID(job.payload.decode())
