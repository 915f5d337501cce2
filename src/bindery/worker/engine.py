"""PgQueuer's engine on our database, with our entrypoints and timetable."""

import asyncio
import uuid
from datetime import timedelta
from typing import Final

import structlog
from pgqueuer.adapters.persistence import qb
from pgqueuer.core.buffers import JobStatusLogBuffer
from pgqueuer.core.executors import AbstractEntrypointExecutor
from pgqueuer.core.qm import QueueManager
from pgqueuer.core.sm import SchedulerManager
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import QueueEntrypoint, QueueManagerId
from pgqueuer.errors import RetryRequested
from pgqueuer.models import Job, Schedule, TracebackRecord
from pgqueuer.queries import Queries

from bindery.actions.submission.process_submission import TryAgain
from bindery.base.ids import uuid7
from bindery.runtime import Runtime
from bindery.storage.database import is_outage
from bindery.storage.jobs.queue import NEXT_LOOK, PUT_BACK
from bindery.worker.entrypoints import Entrypoint, entrypoints
from bindery.worker.executor import HeldUp, JobExecutor, about, times_held_up
from bindery.worker.patient_driver import patient_driver
from bindery.worker.timetable import TIMETABLE, TimetableEntry

HEARTBEAT_TIMEOUT: Final = timedelta(seconds=4)
"""A job whose worker has been silent for this long is taken over by another."""

DEQUEUE_TIMEOUT: Final = timedelta(minutes=1)
"""How often the queue is looked at although nothing new was heard of and nothing falls due."""
NEVER: Final = timedelta(0)
SCHEMA: Final = DBSettings(db_schema="pgq")

log = structlog.get_logger()


async def run_engine(runtime: Runtime, *, concurrency: int, stop: asyncio.Event) -> None:
    """Work on jobs and by the timetable until told to stop; what is being worked on is finished first."""

    def take_as_another() -> None:
        # A lost answer may have taken jobs that nobody works on. They count against whoever took them, until
        # their heartbeat is old; under another name the places that they hold are free.
        queue.queue_manager_id = QueueManagerId(uuid7(runtime.clock.real_now(), runtime.database.rng))

    async with patient_driver(runtime.database.watch, stop, on_lost=take_as_another) as driver:
        queries = _Queries(
            driver,
            qbe=qb.QueryBuilderEnvironment(SCHEMA),
            qbq=qb.QueryQueueBuilder(SCHEMA),
            qbs=qb.QuerySchedulerBuilder(SCHEMA),
        )
        queue, scheduler = _Queue(queries), SchedulerManager(queries)
        _register_jobs(queue, runtime)
        _register_timetable(scheduler, runtime)
        await _run(queue, scheduler, concurrency, stop)


async def _run(
    queue: QueueManager, scheduler: SchedulerManager, concurrency: int, stop: asyncio.Event
) -> None:
    """Run both halves until one ends or both are to stop.

    Neither is ever canceled: what a canceled one is working on would be taken off the queue.
    """
    ending = queue.shutdown = scheduler.shutdown = asyncio.Event()
    halves = (
        asyncio.create_task(
            queue.run(
                dequeue_timeout=DEQUEUE_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                batch_size=max(1, concurrency // 2),
                max_concurrent_tasks=max(2, concurrency),
                log_aggregation_interval=NEVER,
            )
        ),
        asyncio.create_task(scheduler.run()),
    )
    told = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({*halves, told}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        told.cancel()
        ending.set()
        outcomes = await asyncio.gather(*halves, return_exceptions=True)
    for fault in outcomes:
        # Told to stop while the database is away, it leaves its jobs to whoever is there when it is back.
        if isinstance(fault, BaseException) and not (stop.is_set() and is_outage(fault)):
            raise fault


class _Queries(Queries):
    """PgQueuer's statements, but for how a job is put back and for when to look again."""

    async def next_deferred_eta(self, entrypoints: list[QueueEntrypoint]) -> timedelta | None:
        """Return the time until a job falls due, or until one may be taken over from a dead worker."""
        (row,) = await self.driver.fetch(NEXT_LOOK, entrypoints, HEARTBEAT_TIMEOUT)
        eta = row["eta"]
        assert eta is None or isinstance(eta, timedelta), "an interval"
        return eta

    async def retry_job(self, job: Job, delay: timedelta, traceback_record: TracebackRecord | None) -> None:
        """Put a job back for a while; one that an outage held up has used up no attempt."""
        assert traceback_record is not None, "the engine says why"
        held_up = traceback_record.exception_type == HeldUp.__name__
        await self.driver.execute(
            PUT_BACK,
            job.id,
            job.queue_manager_id,
            delay,
            0 if held_up else 1,
            times_held_up(job) + held_up,
            traceback_record.model_dump_json(),
        )


class _Queue(QueueManager):
    """PgQueuer's queue, in which nothing fails because of an outage."""

    async def log_failure(
        self, job: Job, executor: AbstractEntrypointExecutor, exc: Exception, jbuff: JobStatusLogBuffer
    ) -> None:
        """Keep a job that failed, with its exception; one that cannot be put back now is taken over later."""
        if not is_outage(exc):
            await super().log_failure(job, executor, exc, jbuff)


def _register_jobs(queue: QueueManager, runtime: Runtime) -> None:
    """Register the action of each kind of job; one that fails for good is kept for a person to see."""
    for name, action in entrypoints(runtime).items():

        @queue.entrypoint(name, on_failure="hold", executor_factory=JobExecutor)
        async def do(job: Job, action: Entrypoint = action) -> None:
            outcome = await action(uuid.UUID(about(job)))
            if isinstance(outcome, TryAgain):
                raise RetryRequested(outcome.after, "the action asks for another try")


def _register_timetable(scheduler: SchedulerManager, runtime: Runtime) -> None:
    """Run the sweeps; the engine sees to it that one worker does each."""
    for name, entry in TIMETABLE.items():

        @scheduler.schedule(name, entry.cron)
        async def look(_schedule: Schedule, name: str = name, entry: TimetableEntry = entry) -> None:
            try:
                await entry.action(runtime)
            except Exception as fault:
                if not is_outage(fault):
                    raise
                log.warning("timetable_interrupted", entry=name, reason=str(fault))
