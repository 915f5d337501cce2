"""The overview's states, and the sentence that names those that need a look."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bindery.domain.jobs import is_worker_missed
from bindery.storage.operations.overview import MOST_ROWS, Attention
from bindery.web.ops.states_shown import Lede
from bindery.web.shown.words import StatusDot, Times, ago, counted, listed

SLOW_MS: Final = 500
"""A database that takes longer over a few counts holds up everything else too."""
JOB_LATE_AFTER: Final = timedelta(minutes=5)
"""As the alarm for late jobs."""
NUMBERS: Final = (
    "No",
    "One thing",
    "Two things",
    "Three things",
    "Four things",
    "Five things",
    "Six things",
    "Seven things",
)


@dataclass(frozen=True, slots=True)
class HealthState:
    """A part of the platform; `need` says what needs a look, and is empty where all is well."""

    name: str
    figure: str
    note: str
    address: str = ""
    dot: StatusDot = StatusDot.OPEN
    need: str = ""


def health(
    found: Attention,
    *,
    worker_silent_for: timedelta | None,
    answered_in_ms: int,
    times: Times,
    is_demo: bool,
) -> tuple[HealthState, ...]:
    return (
        _worker(worker_silent_for),
        _database(answered_in_ms),
        _jobs(found, times),
        _webhooks(found),
        _mail(found, is_demo=is_demo),
        _desk(found),
        *_binders(found),
    )


def lede(states: Sequence[HealthState]) -> Lede:
    needs = [state.need for state in states if state.need]
    if not needs:
        return Lede("Everything runs.")
    verb = "needs" if len(needs) == 1 else "need"
    return Lede(f"{NUMBERS[len(needs)]} {verb} a look:", f"{listed(needs)}.")


def capped(count: int) -> str:
    return f"{MOST_ROWS}+" if count > MOST_ROWS else str(count)


def _worker(silent_for: timedelta | None) -> HealthState:
    if silent_for is None:
        return HealthState("Worker", "none", "is running", dot=StatusDot.BAD, need="no worker is running")
    figure = f"{int(silent_for.total_seconds())} s ago"
    if not is_worker_missed(silent_for):
        return HealthState("Worker", figure, "last seen")
    need = f"no worker has been seen for {ago(silent_for)}"
    return HealthState("Worker", f"{ago(silent_for)} ago", "last seen", dot=StatusDot.BAD, need=need)


def _database(answered_in_ms: int) -> HealthState:
    figure = f"{answered_in_ms:,} ms"
    if answered_in_ms <= SLOW_MS:
        return HealthState("Database", figure, "answer time")
    need = f"the database is slow, it answered in {figure}"
    return HealthState("Database", figure, "answer time: slow", dot=StatusDot.BAD, need=need)


def _jobs(found: Attention, times: Times) -> HealthState:
    oldest, failed = found.oldest_job, found.failed_jobs
    is_late = oldest is not None and times.now - oldest > JOB_LATE_AFTER
    late = f"a job has waited for {ago(times.now - oldest)}" if oldest is not None and is_late else ""
    failures = f"{_many(failed, 'job')} failed" if failed else ""
    waits = "none wait" if oldest is None else f"the oldest waits {times.since(oldest).text}"
    return HealthState(
        "Jobs",
        f"{capped(failed)} failed" if failed else "none wait" if oldest is None else times.since(oldest).text,
        waits if failed else "0 failed" if oldest is None else "the oldest waits, 0 failed",
        "/ops/jobs",
        dot=StatusDot.BAD if failed else StatusDot.WARN if is_late else StatusDot.OPEN,
        need=" and ".join(said for said in (failures, late) if said),
    )


def _webhooks(found: Attention) -> HealthState:
    failing = found.failing_webhooks
    return HealthState(
        "Webhooks",
        f"{failing:,} failing",
        f"of {counted(found.webhooks, 'endpoint')}",
        "/ops/webhooks",
        dot=StatusDot.BAD if failing else StatusDot.OPEN,
        need=f"{counted(failing, 'webhook')} {'is' if failing == 1 else 'are'} failing" if failing else "",
    )


def _mail(found: Attention, *, is_demo: bool) -> HealthState:
    """Judge mail of the last days; what was not sent before stays in the list and in the count.

    A demo has no mail server on purpose, so there it is no more than a warning.
    """
    figure = capped(found.unsent_mails) if found.unsent_mails else "all sent"
    note = "not sent" if found.unsent_mails else "nothing waits"
    dot, need = StatusDot.OPEN, ""
    if found.refused_mails:
        dot, note = StatusDot.BAD, f"not sent, {capped(found.refused_mails)} refused"
        need = f"{_many(found.refused_mails, 'mail')} could not be sent"
    elif found.recent_unsent_mails and found.sends_mail is False:
        dot, note = StatusDot.WARN if is_demo else StatusDot.BAD, "not sent: no mail server"
        verb = "is" if found.recent_unsent_mails == 1 else "are"
        need = f"{_many(found.recent_unsent_mails, 'mail')} {verb} not sent (no worker has a mail server)"
    return HealthState("Mail", figure, note, "/ops/mails", dot, need)


def _desk(found: Attention) -> HealthState:
    late = found.late_cases
    verb = "is" if late == 1 else "are"
    return HealthState(
        "Desk",
        f"{capped(found.open_cases)} open",
        f"{capped(late)} late" if late else "none late",
        dot=StatusDot.WARN if late else StatusDot.OPEN,
        need=f"{_many(late, 'case')} on the desk {verb} late" if late else "",
    )


def _binders(found: Attention) -> tuple[HealthState, ...]:
    """Judge the binders; below every mark there is nothing to say of them."""
    count, mark = found.marked_binders, found.highest_mark
    if not count or mark is None:
        return ()
    if count == 1:
        figure, note = f"{mark} % used", "of its premium limit"
        need = f"1 binder has reached {mark} % of its premium limit"
    else:
        figure, note = f"{count:,} marked", f"up to {mark} % of their limits"
        need = f"{count:,} binders have reached up to {mark} % of their premium limits"
    return (HealthState("Binders", figure, note, "/ops/binders", StatusDot.WARN, need),)


def _many(count: int, unit: str) -> str:
    return f"more than {MOST_ROWS} {unit}s" if count > MOST_ROWS else counted(count, unit)
