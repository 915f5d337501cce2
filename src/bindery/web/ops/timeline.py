"""The time line of a quote: where its seconds went, from the request to the first delivery."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.base.stages import JobStage, JobWork
from bindery.contract.documents import ABOUT, DocumentType
from bindery.domain.figures import share_faster, total
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.memory.unkept_days import UnkeptDays
from bindery.storage.database import Reader
from bindery.storage.operations import figures, quote_timeline
from bindery.storage.operations.quote_timeline import JobRun, MadePaper, QuoteTimes, ToldEvent
from bindery.web.charts.bars import Span, spans
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.ops.dashboard_shown import PROMISED_MS
from bindery.web.ops.states_shown import Lede
from bindery.web.shown.words import StatusDot, counted, seconds

MOST_DELIVERIES: Final = 50
LONGEST_SCALE: Final = 3.0
"""What ends later than so many times the first answer is cut: its figure says how long it took."""
LEAST_SCALE: Final = timedelta(seconds=1)
TENTHS: Final = 10

STATES: Final = {
    "successful": (StatusDot.OPEN, "done"),
    "queued": (StatusDot.WARN, "put back"),
    "failed": (StatusDot.BAD, "failed"),
    "exception": (StatusDot.BAD, "failed"),
    "picked": (StatusDot.RUN, "running"),
}


async def show_timeline(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        times = await quote_timeline.find(tx, visit.path_id("quote_id"))
        if times is None:
            raise NotFound("There is no such quote.")
        runs = await quote_timeline.jobs_of(tx, times.quote_id, times.submission_id)
        papers = await quote_timeline.papers_of(tx, times.quote_id)
        told = await quote_timeline.deliveries_of(tx, times, limit=MOST_DELIVERIES)
        compared = await _compared(tx, visit.runtime.unkept_days, visit.runtime.rules.zone, times)
    work = _work_of(runs)
    drawn = tuple(spans_of(times, runs, papers, told))
    return page(
        visit,
        "ops/timeline.html",
        times=visit.times(tx.now),
        quote=times,
        lede=lede_of(times, compared),
        chart=spans(drawn, until=_scale(times, drawn), caption="Where the time went"),
        is_kept=work is not None,
        request_id=work.request_id if work else None,
        together=work.together if work else 1,
        runs=tuple((run, *_state_of(run), "" if run.milliseconds is None else _of_ms(run)) for run in runs),
        papers=tuple((_paper_name(paper), paper.version, paper.made_at) for paper in papers),
        told=tuple((event, _told_in(event)) for event in told),
        seconds=seconds,
    )


def _of_ms(run: JobRun) -> str:
    return seconds(timedelta(milliseconds=run.milliseconds or 0))


def _state_of(run: JobRun) -> tuple[StatusDot, str]:
    if run.state == "queued" and run.milliseconds is None:
        return StatusDot.WAIT, "waiting"
    return STATES.get(run.state, (StatusDot.OVER, run.state))


def _told_in(event: ToldEvent) -> str:
    return seconds(event.delivered_at - event.created_at) if event.delivered_at else ""


@dataclass(frozen=True, slots=True)
class Compared:
    """How a quote compares with the options that became ready on its day."""

    share: float
    count: int
    is_today: bool


async def _compared(
    tx: Reader, unkept_days: UnkeptDays, zone: ZoneInfo, times: QuoteTimes
) -> Compared | None:
    if times.first_ready_at is None:
        return None
    day = times.first_ready_at.astimezone(zone).date()
    kept = [of_day.figures for of_day in await figures.of_days(tx, day, until=day)]
    if not kept:
        live = await unkept_days.count(tx, day, zone)
        kept = [found for (_, partner_id), found in live.items() if partner_id == figures.ALL_PARTNERS]
    readiness = total(kept).readiness
    took_ms = (times.first_ready_at - times.created_at) / timedelta(milliseconds=1)
    share = share_faster(readiness, took_ms)
    return None if share is None else Compared(share, sum(readiness), day == tx.today)


def lede_of(times: QuoteTimes, compared: Compared | None) -> Lede:
    if times.first_ready_at is None:
        return Lede("Not ready yet.", "No option of it was offered or referred so far.")
    took = times.first_ready_at - times.created_at
    event = "With an underwriter" if times.first_ready == "quote.referred" else "Offered"
    strong = f"{event} after {seconds(took)}"
    if compared is None:
        return Lede(f"{strong}.")
    tenths = int(compared.share * TENTHS)
    day = "today" if compared.is_today else "that day"
    is_slow = tenths >= TENTHS / 2
    how = f"slower than {tenths} of 10" if is_slow else f"faster than {TENTHS - tenths - 1} of 10"
    if compared.count == 1:
        return Lede(f"{strong}.", f"It is the only option that became ready {day}.")
    late = " More than the 40 seconds in which nine of ten are to be ready." if _is_late(took) else ""
    return Lede(f"{strong}:", f"{how} {day}, of {counted(compared.count, 'option')}.{late}")


def _is_late(took: timedelta) -> bool:
    return took > timedelta(milliseconds=PROMISED_MS)


def _work_of(runs: Sequence[JobRun]) -> JobWork | None:
    """Return what was measured of the run that decided the options: the last one."""
    return next((run.work for run in reversed(runs) if run.kind == PROCESS_SUBMISSION and run.work), None)


def _scale(times: QuoteTimes, drawn: Sequence[Span]) -> float:
    ready = (times.first_ready_at or times.created_at) - times.created_at
    most = max(ready * LONGEST_SCALE, LEAST_SCALE).total_seconds()
    return min(max((span.start + span.length for span in drawn), default=0.0), most)


def spans_of(
    times: QuoteTimes, runs: Sequence[JobRun], papers: Sequence[MadePaper], told: Sequence[ToldEvent]
) -> Iterator[Span]:
    """Return what took time, in seconds since the request, in the order in which it began."""

    def after(moment: datetime) -> float:
        return max(0.0, (moment - times.created_at).total_seconds())

    tries = [run for run in runs if run.kind == PROCESS_SUBMISSION and run.work and run.work.began_at]
    waited_from = 0.0
    for number, run in enumerate(tries, start=1):
        assert run.work is not None, "chosen for it"
        assert run.work.began_at is not None, "as above"
        began = after(run.work.began_at)
        again = f", try {number}" if len(tries) > 1 else ""
        yield _span(f"Waiting in the queue{again}", waited_from, began - waited_from, "f3")
        yield from _stages_of(run.work, began)
        waited_from = began + (run.milliseconds or 0.0) / 1000
    ready = after(times.first_ready_at) if times.first_ready_at else None
    if not tries and ready is not None:
        yield _span("From the request to the first answer", 0.0, ready)
    first = next((event for event in told if event.delivered_at), None)
    for event in [first] if first else [event for event in told if event.state == "pending"][:1]:
        start = after(event.created_at)
        if event.delivered_at is None:
            yield Span(f"{event.type} waits for {event.endpoint}", "not there yet", start, 0.0, "f2")
        else:
            often = f", {event.tries} tries" if event.tries > 1 else ""
            yield _span(
                f"First delivery ({event.type}{often})", start, after(event.delivered_at) - start, "f2"
            )
    if papers and ready is not None:
        start = min(ready, after(papers[0].made_at))
        yield _span(f"First paper: {_paper_name(papers[0])}", start, after(papers[0].made_at) - start, "f2")


def _stages_of(work: JobWork, began: float) -> Iterator[Span]:
    """Return the parts of the work; those that overlap are drawn one below the other."""
    named = {stage.name: stage for stage in work.stages if not stage.about}
    domains = [stage for stage in work.stages if stage.name in {"scan_domain", "scan_kept"}]

    def at(stage: JobStage) -> float:
        return began + stage.began_ms / 1000

    if "start" in named:
        yield _span("Read by the worker", at(named["start"]), named["start"].took_ms / 1000)
    if "scan" in named and not domains:
        yield _span("Scan", at(named["scan"]), named["scan"].took_ms / 1000)
    for stage in domains:
        what = "known from today" if stage.name == "scan_kept" else "scanned"
        yield _span(f"{stage.about} {what}", at(stage), stage.took_ms / 1000)
    if "decide" in named:
        decide = named["decide"]
        computed = 0.0
        # What was measured before the two were told apart has one figure for both.
        both = "Priced" if "screen" in named else "Priced and screened"
        for name, label in (("price", both), ("screen", "Screened")):
            if name in named:
                took = named[name].took_ms / 1000
                yield _span(label, at(decide) + computed, took)
                computed += took
        shared = f" with {counted(work.together - 1, 'other submission')}" if work.together > 1 else ""
        written = max(0.0, decide.took_ms / 1000 - computed)
        yield _span(f"Written{shared}", at(decide) + computed, written)


def _span(label: str, start: float, length: float, tone: str = "f1") -> Span:
    length = max(0.0, length)
    return Span(label, seconds(timedelta(seconds=length)), start, length, tone)


def _paper_name(paper: MadePaper) -> str:
    return ABOUT[DocumentType(paper.type)].name if paper.type in set(DocumentType) else paper.type
