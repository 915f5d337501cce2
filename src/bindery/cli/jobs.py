"""Jobs that are waiting, running or have failed, and another try for failed ones."""

from datetime import datetime, timedelta
from typing import Annotated, NoReturn

import typer

from bindery.actions.timetable.sweep import retry_jobs
from bindery.base.clock import Clock
from bindery.cli import common
from bindery.cli.stored import read, with_runtime
from bindery.runtime import Runtime
from bindery.storage.database import Reader
from bindery.storage.jobs import job_view
from bindery.storage.jobs.job_view import JobEntry, JobSeen, JobStatus
from bindery.worker.entrypoints import KINDS

app = typer.Typer(no_args_is_help=True)

KindOption = Annotated[str | None, common.optional("Only jobs of this kind.", "--kind", metavar="KIND")]
WIDEST_ERROR = 60
MINUTE, HOUR, DAY = 60, 3_600, 86_400


@app.command("list", help="List jobs: failed ones first, then running, then waiting.")
def list_jobs(
    *,
    kind: KindOption = None,
    status: Annotated[JobStatus | None, common.optional("Only jobs of this status.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 50,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    _check_kind(kind)

    async def work(tx: Reader) -> tuple[list[JobSeen], dict[JobStatus, int]]:
        found = await job_view.list_jobs(tx, kind=kind, status=status, limit=limit)
        return found, await job_view.count_jobs(tx)

    jobs, counts = read(data, work)
    if as_json:
        common.print_json(jobs)
        return
    if jobs:
        now = Clock.real_now()
        common.print_table(
            ["ID", "KIND", "ABOUT", "PARTNER", "STATUS", "ATTEMPTS", "AGE", "NEXT TRY", "ERROR"],
            [_row(job, now) for job in jobs],
        )
        common.say("")
    common.say(f"{', '.join(f'{count:,} {name}' for name, count in counts.items())}.")
    if counts[JobStatus.FAILED]:
        common.say("`bindery jobs show ID` says why; `bindery jobs retry ID` tries again.")


@app.command("show", help="Show a job with its exceptions and everything that happened to it.")
def show(
    job_id: Annotated[int, typer.Argument(metavar="ID")],
    *,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    async def work(tx: Reader) -> tuple[JobSeen | None, list[JobEntry]]:
        return await job_view.find_job(tx, job_id), await job_view.history_of(tx, job_id)

    job, history = read(data, work)
    if job is None and not history:
        _refuse_unknown(job_id)
    if as_json:
        common.print_json({"job": job, "history": history})
        return
    if job is None:
        common.say(f"Job {job_id} is not in the queue any more.")
    else:
        _print_job(job, Clock.real_now())
    _print_history(history)


@app.command("retry", help="Put failed jobs back into the queue: one by its id, those of a kind, or all.")
def retry(
    job_id: Annotated[int | None, typer.Argument(metavar="[ID]", show_default=False)] = None,
    *,
    kind: KindOption = None,
    everything: Annotated[bool, typer.Option("--all", help="All failed jobs.")] = False,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    if [job_id is not None, kind is not None, everything].count(True) != 1:
        common.refuse("Choose one: an ID, --kind KIND, or --all.")
    _check_kind(kind)

    async def work(runtime: Runtime) -> tuple[int, JobSeen | None]:
        before = None
        if job_id is not None:
            async with runtime.database.reading() as tx:
                before = await job_view.find_job(tx, job_id)
        return await retry_jobs(runtime.database, job_id=job_id, kind=kind, by=common.doer()), before

    count, before = with_runtime(data, work)
    if job_id is not None and count == 0:
        if before is None:
            _refuse_unknown(job_id)
        common.refuse(f"Job {job_id} has not failed: it is {before.status}.")
    sentence = f"{count:,} failed {'job goes' if count == 1 else 'jobs go'} back to the queue."
    common.show_result({"retried": count}, sentence, as_json=as_json)


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        common.refuse(f"There is no kind of job {kind!r}; there are {', '.join(sorted(KINDS))}.")


def _refuse_unknown(job_id: int) -> NoReturn:
    common.refuse(f"There is no job {job_id}; `bindery jobs list` shows them.")


def _row(job: JobSeen, now: datetime) -> list[str]:
    error = job.error or ""
    return [
        str(job.id),
        job.kind,
        job.about,
        job.partner or "",
        job.status,
        str(job.attempts),
        _span(now - job.created_at),
        _next_try(job, now),
        error if len(error) <= WIDEST_ERROR else f"{error[: WIDEST_ERROR - 1]}…",
    ]


def _print_job(job: JobSeen, now: datetime) -> None:
    common.print_table(
        ["", ""],
        [
            ["Job", str(job.id)],
            ["Kind", job.kind],
            ["About", job.about],
            ["Partner", job.partner or "none"],
            ["Status", job.status],
            ["Attempts", str(job.attempts)],
            ["Held up", f"{job.held_up} times by an outage"],
            ["Priority", str(job.priority)],
            ["Queued", f"{job.created_at:%Y-%m-%d %H:%M:%S} UTC, {_span(now - job.created_at)} ago"],
            ["Next try", _next_try(job, now) or "none"],
        ],
    )


def _print_history(history: list[JobEntry]) -> None:
    common.say("")
    for entry in history:
        common.say(
            f"{entry.at:%Y-%m-%d %H:%M:%S} UTC  {entry.what}{f': {entry.error}' if entry.error else ''}"
        )
    last = job_view.last_traceback(history)
    if last is not None:
        common.say(f"\n{last.rstrip()}")


def _next_try(job: JobSeen, now: datetime) -> str:
    if job.next_try_at is None:
        return ""
    return "now" if job.next_try_at <= now else f"in {_span(job.next_try_at - now)}"


def _span(span: timedelta) -> str:
    seconds = max(0, round(span.total_seconds()))
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
