"""PgQueuer's engine on our database, with our entrypoints and timetable."""

import asyncio
import dataclasses
import time
import uuid
from datetime import timedelta
from typing import Final

import msgspec
import structlog
from pgqueuer.adapters.persistence import qb
from pgqueuer.core.buffers import JobStatusLogBuffer
from pgqueuer.core.executors import AbstractEntrypointExecutor
from pgqueuer.core.qm import QueueManager
from pgqueuer.core.sm import SchedulerManager
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import JOB_STATUS, QueueEntrypoint, QueueManagerId
from pgqueuer.errors import RetryRequested
from pgqueuer.executors import EntrypointExecutor
from pgqueuer.models import Context, Job, Schedule, TracebackRecord
from pgqueuer.queries import Queries

from bindery.actions.submission.process_submission import TryAgain
from bindery.base.ids import uuid7
from bindery.base.stages import measuring_job
from bindery.base.tracing import SpanKind, span
from bindery.domain.jobs import pause_after_error, pause_after_outage
from bindery.metrics import job_seconds
from bindery.runtime import Runtime
from bindery.storage.database import is_outage
from bindery.storage.jobs.queue import END, NEXT_LOOK, PUT_BACK
from bindery.worker.entrypoints import TIMETABLE, Entrypoint, TimetableEntry, entrypoints
from bindery.worker.patient_driver import patient_driver

HELD_UP: Final = "held_up"
REQUEST: Final = "request"
TRACE: Final = "trace"
TOOK: Final = "took"
"""Of the job in memory alone; the queue's table never has it."""
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=4)
"""A job whose worker has been silent for this long is taken over by another."""
DEQUEUE_TIMEOUT: Final = timedelta(minutes=1)
"""How often to look at the queue although no notice came and nothing falls due."""
NEVER: Final = timedelta(0)
SCHEMA: Final = DBSettings(db_schema="pgq")

log = structlog.get_logger()


class HeldUp(RetryRequested):
    """The database or the store of files is away: the job goes back, and that was no attempt."""


def times_held_up(job: Job) -> int:
    times = (job.headers or {}).get(HELD_UP, 0)
    assert isinstance(times, int), "we wrote a number"
    return times


def _request_of(job: Job) -> str | None:
    return _header(job, REQUEST)


def _header(job: Job, name: str) -> str | None:
    value = (job.headers or {}).get(name)
    return value if isinstance(value, str) else None


def about(job: Job) -> str:
    assert job.payload is not None, "every job of ours names what it is about"
    return job.payload.decode()


@dataclasses.dataclass
class JobExecutor(EntrypointExecutor):
    """Runs a job: an outage sends it back however often, an error a few times, then it has failed."""

    async def execute(self, job: Job, context: Context) -> None:
        with measuring_job() as work:
            work.request_id = _request_of(job)
            started = time.perf_counter()
            try:
                with span(
                    job.entrypoint,
                    kind=SpanKind.JOB,
                    parent=_header(job, TRACE) or "",
                    job=job.id,
                    attempt=job.attempts + 1,
                ):
                    await self._execute(job, context, started)
            finally:
                # The object of the job goes with it to where its end is written.
                taken_ms = (time.perf_counter() - started) * 1000
                job.headers = {**(job.headers or {}), TOOK: (round(taken_ms, 1), work)}

    async def _execute(self, job: Job, context: Context, started: float) -> None:
        try:
            await super().execute(job, context)
        except RetryRequested as again:
            _log(job, started, "again", again.reason)
            raise
        except Exception as fault:
            reason = f"{type(fault).__name__}: {fault}"
            if is_outage(fault):
                _log(job, started, "held_up", reason)
                raise HeldUp(pause_after_outage(times_held_up(job) + 1), reason) from fault
            pause = pause_after_error(job.attempts + 1)
            if pause is None:
                _log(job, started, "failed", reason)
                raise
            _log(job, started, "again", reason)
            raise RetryRequested(pause, reason) from fault
        _log(job, started, "done")


def _log(job: Job, started: float, outcome: str, reason: str | None = None) -> None:
    seconds = time.perf_counter() - started
    job_seconds.labels(job.entrypoint, outcome).observe(seconds)
    write = {"done": log.info, "failed": log.error}.get(outcome, log.warning)
    write(
        "job",
        id=job.id,
        kind=job.entrypoint,
        about=about(job),
        partner=(job.headers or {}).get("partner"),
        milliseconds=round(seconds * 1000, 1),
        attempt=job.attempts + 1,
        outcome=outcome,
        **({"request_id": request} if (request := _request_of(job)) else {}),
        **({"reason": reason} if reason else {}),
    )


async def run_engine(runtime: Runtime, *, concurrency: int, stop: asyncio.Event) -> None:
    """Work on jobs and by the timetable until stopped; jobs under way are finished first."""

    def take_as_another() -> None:
        # A lost answer may have taken jobs that nobody works on. They count against the manager that took
        # them until their heartbeat is old; under another name the places that they hold are free.
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
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({*halves, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        ending.set()
        outcomes = await asyncio.gather(*halves, return_exceptions=True)
    for fault in outcomes:
        # Told to stop while the database is away, it leaves its jobs to the next worker.
        if isinstance(fault, BaseException) and not (stop.is_set() and is_outage(fault)):
            raise fault


class _Queries(Queries):
    """PgQueuer's statements, except how a job is put back and when to look again."""

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
            *_measured(job),
        )

    async def log_jobs(self, job_status: list[tuple[Job, JOB_STATUS, TracebackRecord | None]]) -> None:
        """End jobs as PgQueuer does; the row of its log also keeps what was measured."""
        measured = [_measured(job) for job, _, _ in job_status]
        await self.driver.execute(
            END,
            [job.id for job, _, _ in job_status],
            [status for _, status, _ in job_status],
            [fault.model_dump_json() if fault else None for _, _, fault in job_status],
            [milliseconds for milliseconds, _ in measured],
            [work for _, work in measured],
        )


def _measured(job: Job) -> tuple[float | None, str | None]:
    """Return how many milliseconds a job took, and its parts as JSON where it has any."""
    found = (job.headers or {}).get(TOOK)
    if not isinstance(found, tuple):
        return None, None
    milliseconds, work = found
    is_told = bool(work.stages or work.request_id)
    return milliseconds, msgspec.json.encode(work).decode() if is_told else None


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
    for name, entry in TIMETABLE.items():

        @scheduler.schedule(name, entry.cron)
        async def look(_schedule: Schedule, name: str = name, entry: TimetableEntry = entry) -> None:
            try:
                await entry.action(runtime)
            except Exception as fault:
                if not is_outage(fault):
                    raise
                log.warning("timetable_interrupted", entry=name, reason=str(fault))
