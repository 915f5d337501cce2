"""The timetable's sweeps: each finds what is due and queues one job for each; the job looks again."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Final

import structlog

from bindery.actions.end_term import end_term
from bindery.actions.expire_quote import expire_quote
from bindery.actions.lapse_binder import lapse_binder
from bindery.actions.let_referral_go_stale import let_referral_go_stale
from bindery.actions.remind_of_renewal import remind_of_renewal
from bindery.actions.settle_renewal import settle_renewal
from bindery.actions.submit_renewal import submit_renewal
from bindery.domain.jobs import FINISH_BIND, FINISH_ISSUE, PLAY_UNDERWRITER, PROCESS_SUBMISSION
from bindery.domain.policy.renewal import OFFERED_BEFORE, REMINDERS_BEFORE
from bindery.domain.practice import Practice
from bindery.domain.quote.deadlines import REFERRAL_WAITS_FOR, stale_before
from bindery.runtime import Runtime
from bindery.storage import due, queue, quotes, submissions
from bindery.storage.database import Reader
from bindery.storage.due import Earliest

BATCH: Final = 1_000
STANDS_STILL_AFTER: Final = timedelta(minutes=2)
RESTS_FOR: Final = timedelta(minutes=10)
"""A job that failed for good is queued again no sooner than this, however often it is found to be due."""

ONE_DAY: Final = timedelta(days=1)
log = structlog.get_logger()

Find = Callable[[Reader, Practice, date], Awaitable[list[uuid.UUID]]]
NextDay = Callable[[Runtime, Earliest], date | None]
Job = Callable[[Runtime, uuid.UUID], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is due by a day, the next day on which anything will be, and the job that each find gets."""

    find: Find
    next_day: NextDay
    job: Job


async def _expired(tx: Reader, _practice: Practice, today: date) -> list[uuid.UUID]:
    return await quotes.due_for_expiry(tx, today, limit=BATCH)


async def _stale(tx: Reader, practice: Practice, today: date) -> list[uuid.UUID]:
    return await quotes.due_for_staleness(tx, stale_before(today, practice.zone), limit=BATCH)


def _next_stale(runtime: Runtime, first: Earliest) -> date | None:
    oldest = first.referred_at
    return None if oldest is None else runtime.practice.day_of(oldest) + REFERRAL_WAITS_FOR + ONE_DAY


async def _lapsing(tx: Reader, _practice: Practice, today: date) -> list[uuid.UUID]:
    return await due.binders_to_lapse(tx, today, limit=BATCH)


async def _renewing(tx: Reader, _practice: Practice, today: date) -> list[uuid.UUID]:
    return await due.policies_to_renew(tx, today + OFFERED_BEFORE, limit=BATCH)


async def _settling(tx: Reader, _practice: Practice, today: date) -> list[uuid.UUID]:
    return await due.renewals_to_settle(tx, today, limit=BATCH)


async def _ending(tx: Reader, _practice: Practice, today: date) -> list[uuid.UUID]:
    return await due.policies_to_end(tx, today, limit=BATCH)


async def _reminding(tx: Reader, _practice: Practice, today: date, *, number: int) -> list[uuid.UUID]:
    day = today + REMINDERS_BEFORE[number]
    return await due.renewals_to_remind_of(tx, day, already_sent=number, limit=BATCH)


def _shifted(day: date | None, by: timedelta) -> date | None:
    return None if day is None else day + by


# In the order in which things follow each other: a renewal is made before its policy ends, and bound on the
# day before the old one is put away.
SWEEPS: Final[Mapping[str, Sweep]] = {
    "submit_renewal": Sweep(
        _renewing, lambda _, first: _shifted(first.end_to_renew, -OFFERED_BEFORE), submit_renewal
    ),
    "remind_of_renewal": Sweep(
        partial(_reminding, number=0),
        lambda _, first: _shifted(first.end_to_remind_of, -REMINDERS_BEFORE[0]),
        remind_of_renewal,
    ),
    "remind_again_of_renewal": Sweep(
        partial(_reminding, number=1),
        lambda _, first: _shifted(first.end_to_remind_of_again, -REMINDERS_BEFORE[1]),
        remind_of_renewal,
    ),
    "settle_renewal": Sweep(_settling, lambda _, first: first.end_with_offer, settle_renewal),
    "end_term": Sweep(_ending, lambda _, first: first.end_of_term, end_term),
    "lapse_binder": Sweep(_lapsing, lambda _, first: _shifted(first.fulfil_by, ONE_DAY), lapse_binder),
    "expire_quote": Sweep(_expired, lambda _, first: _shifted(first.expires_on, ONE_DAY), expire_quote),
    "let_referral_go_stale": Sweep(_stale, _next_stale, let_referral_go_stale),
}
"""By the name of the queue's entrypoint."""


async def sweep(runtime: Runtime, name: str) -> int:
    """Queue what is due; what is queued already is not queued twice."""
    async with runtime.database.transaction() as tx:
        found = await SWEEPS[name].find(tx, runtime.practice, tx.today)
        return await queue.enqueue(tx, name, [str(quote_id) for quote_id in found], rest=RESTS_FOR)


async def requeue_standing_still(runtime: Runtime) -> int:
    """Queue the submissions again whose work was lost, whatever lost it."""
    async with runtime.database.transaction() as tx:
        still = await submissions.standing_still(tx, before=tx.now - STANDS_STILL_AFTER, limit=BATCH)
        count = await queue.enqueue(
            tx,
            PROCESS_SUBMISSION,
            [str(submission_id) for submission_id in still],
            rest=STANDS_STILL_AFTER,
        )
    if count:
        log.warning("submissions_stood_still", count=count)
    return count


async def requeue_unfinished_binds(runtime: Runtime) -> int:
    """Queue the finishing of binds again whose papers or events are missing, whatever lost them."""
    count = 0
    async with runtime.database.transaction() as tx:
        for job, issued in ((FINISH_BIND, False), (FINISH_ISSUE, True)):
            found = await due.binds_unfinished(
                tx, issued=issued, before=tx.now - STANDS_STILL_AFTER, without=job, limit=BATCH
            )
            count += await queue.enqueue(tx, job, [str(quote_id) for quote_id in found], rest=RESTS_FOR)
    if count:
        log.warning("binds_stood_still", count=count)
    return count


async def requeue_bind_requests(runtime: Runtime) -> int:
    """Have the demo's underwriter decide the requested binds again whose applicants' names ask for it."""
    magic = runtime.practice.magic
    async with runtime.database.transaction() as tx:
        requested = await submissions.bind_requests(tx, before=tx.now - STANDS_STILL_AFTER, limit=BATCH)
        asked = [str(submission_id) for submission_id, name in requested if magic.played_decision(name)]
        return await queue.enqueue(tx, PLAY_UNDERWRITER, asked, rest=RESTS_FOR)


async def next_days(runtime: Runtime) -> dict[str, date]:
    """Return the next day on which each sweep has something to do, in the order of the sweeps."""
    async with runtime.database.reading() as tx:
        first = await due.earliest(tx)
    days = {name: entry.next_day(runtime, first) for name, entry in SWEEPS.items()}
    return {name: day for name, day in days.items() if day is not None}
