from typing import Final

from starlette.responses import Response

from bindery.actions.timetable.sweep import retry_failures, retry_jobs
from bindery.base.errors import InvalidRequest
from bindery.domain.jobs import grouped
from bindery.storage.jobs import job_view
from bindery.storage.jobs.job_view import JobStatus
from bindery.web.frame.paging import read_long_number
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.states_shown import JOB_DOTS, jobs_standing

JOBS: Final = 100


async def show_jobs(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        kinds = await job_view.count_by_kind(tx)
        failed = await job_view.list_jobs(tx, kind=None, status=JobStatus.FAILED, limit=job_view.MOST_FAILED)
        groups = grouped((job.kind, job.error, job) for job in failed)
        tracebacks = {
            group.sample.id: job_view.last_traceback(await job_view.history_of(tx, group.sample.id))
            for group in groups
        }
        jobs = await job_view.list_jobs(tx, kind=visit.word("kind") or None, status=None, limit=JOBS)
    return page(
        visit,
        "ops/jobs.html",
        times=visit.times(visit.runtime.clock.real_now()),
        standing=jobs_standing(sum(group.count for group in groups), sum(row.waiting for row in kinds)),
        kinds=kinds,
        dots=JOB_DOTS,
        is_id=visit.as_id,
        groups=groups,
        tracebacks=tracebacks,
        capped=job_view.capped,
        rows=jobs,
        kind=visit.word("kind"),
        at=tx.real_now.isoformat(),
    )


async def send_retry(visit: Visit) -> Response:
    form = await visit.form()
    number, kind = read_long_number(form.get("job_id", "")), form.get("kind", "")
    if number is not None:
        count = await retry_jobs(visit.runtime.database, job_id=number, by=visit.doer)
    elif kind:
        count = await retry_failures(visit.runtime.database, kind, form.get("failure", ""), by=visit.doer)
    else:
        raise InvalidRequest("Name a job, or the failures to try again.")
    said = {
        0: "Nothing was retried: it did not fail, or is already under way again.",
        1: "1 job is in the queue again.",
    }
    return await visit.done("/ops/jobs", said.get(count, f"{count:,} jobs are in the queue again."))
