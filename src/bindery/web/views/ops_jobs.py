"""Jobs: what waits and runs by kind, and what has failed, grouped by why."""

from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from bindery.actions.retry_failures import retry_failures
from bindery.actions.retry_job import retry_job
from bindery.base.errors import InvalidRequest
from bindery.domain.jobs import FailureGroup, grouped
from bindery.storage import job_view
from bindery.storage.job_view import JobSeen, JobStatus
from bindery.web.render import page
from bindery.web.shown.times import Times
from bindery.web.shown.words import Moment
from bindery.web.visit import Visit

JOBS: Final = 100
LONGEST_NUMBER: Final = 18


@dataclass(frozen=True, slots=True)
class ShownJob:
    """One job."""

    number: int
    kind: str
    about: str
    partner: str
    status: str
    attempts: int
    age: Moment
    error: str
    may_retry: bool


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """Jobs that failed alike, with one of them to look at."""

    kind: str
    failure: str
    count: str
    retry: str
    sample: ShownJob
    traceback: str


@dataclass(frozen=True, slots=True)
class ShownKind:
    """How many jobs of a kind wait, run and are held up, and since when the oldest waits."""

    kind: str
    waiting: str
    held_up: str
    running: str
    failed: str
    oldest: Moment | None


async def show_jobs(visit: Visit) -> Response:
    """Show the queue by kind, failures grouped by why with one sample each, and the jobs that come first."""
    async with visit.runtime.database.reading() as tx:
        kinds = await job_view.count_by_kind(tx)
        failed = await job_view.list_jobs(tx, kind=None, status=JobStatus.FAILED, limit=job_view.MOST_FAILED)
        groups = grouped((job.kind, job.error, job) for job in failed)
        histories = {group.sample.id: await job_view.history_of(tx, group.sample.id) for group in groups}
        jobs = await job_view.list_jobs(tx, kind=visit.word("kind") or None, status=None, limit=JOBS)
    times = Times(visit.runtime.settings.zone, visit.runtime.clock.real_now())
    return page(
        visit,
        "jobs.html",
        kinds=tuple(
            ShownKind(
                kind=counts.kind,
                waiting=job_view.capped(counts.waiting),
                held_up=job_view.capped(counts.held_up),
                running=f"{counts.running:,}",
                failed=job_view.capped(counts.failed),
                oldest=times.since(counts.oldest) if counts.oldest else None,
            )
            for counts in kinds
        ),
        groups=tuple(
            _group(
                group,
                times,
                next(
                    (entry.traceback for entry in reversed(histories[group.sample.id]) if entry.traceback), ""
                ),
            )
            for group in groups
        ),
        rows=tuple(_job(job, times) for job in jobs),
        kind=visit.word("kind"),
        at=tx.real_now.isoformat(),
    )


async def send_retry(visit: Visit) -> Response:
    """Put failed jobs back into the queue: one, or all that failed alike."""
    form = await visit.form()
    number, kind = form.get("job_id", ""), form.get("kind", "")
    if number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER:
        count = await retry_job(visit.runtime, int(number))
    elif kind:
        count = await retry_failures(visit.runtime, kind, form.get("failure", ""))
    else:
        raise InvalidRequest("Name a job, or the failures to try again.")
    said = {
        0: "Nothing was retried: it did not fail, or is already under way again.",
        1: "1 job is in the queue again.",
    }
    return await visit.done("/ops/jobs", said.get(count, f"{count:,} jobs are in the queue again."))


def _group(group: "FailureGroup[JobSeen]", times: Times, traceback: str | None) -> ShownGroup:
    return ShownGroup(
        kind=group.kind,
        failure=group.failure,
        count="1 job" if group.count == 1 else f"{job_view.capped(group.count)} jobs",
        retry="Try it again" if group.count == 1 else "Try all of them again",
        sample=_job(group.sample, times),
        traceback=traceback or "",
    )


def _job(job: JobSeen, times: Times) -> ShownJob:
    return ShownJob(
        number=job.id,
        kind=job.kind,
        about=job.about,
        partner=job.partner or "",
        status=job.status,
        attempts=job.attempts,
        age=times.since(job.created_at),
        error=job.error or "",
        may_retry=job.status is JobStatus.FAILED,
    )
