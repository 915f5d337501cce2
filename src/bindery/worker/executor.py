"""How a job is run, what is made of its ending, and the line that says so in the log."""

import dataclasses
import time
from typing import Final

import structlog
from pgqueuer.errors import RetryRequested
from pgqueuer.executors import EntrypointExecutor
from pgqueuer.models import Context, Job

from bindery.domain.jobs import pause_after_error, pause_after_outage
from bindery.metrics import job_seconds
from bindery.storage.database import is_outage

HELD_UP: Final = "held_up"

log = structlog.get_logger()


class HeldUp(RetryRequested):
    """The database or the store of files is away: the job goes back, and that was no attempt."""


def times_held_up(job: Job) -> int:
    """Return how often an outage has sent a job back."""
    times = (job.headers or {}).get(HELD_UP, 0)
    assert isinstance(times, int), "we wrote a number"
    return times


def about(job: Job) -> str:
    """Return the id of what a job is about."""
    assert job.payload is not None, "every job of ours names what it is about"
    return job.payload.decode()


@dataclasses.dataclass
class JobExecutor(EntrypointExecutor):
    """Runs a job: an outage sends it back however often, an error a few times, then it has failed."""

    async def execute(self, job: Job, context: Context) -> None:
        """Run a job.

        Raises:
            HeldUp: something is away.
            RetryRequested: the job asked for it, or raised an error and has tries left.
            Exception: whatever it raised the last time.
        """
        started = time.perf_counter()
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
    tell = {"done": log.info, "failed": log.error}.get(outcome, log.warning)
    tell(
        "job",
        id=job.id,
        kind=job.entrypoint,
        about=about(job),
        partner=(job.headers or {}).get("partner"),
        milliseconds=round(seconds * 1000, 1),
        attempt=job.attempts + 1,
        outcome=outcome,
        **({"reason": reason} if reason else {}),
    )
