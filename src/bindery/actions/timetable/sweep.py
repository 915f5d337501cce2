"""The timetable's sweeps: each finds what is due and queues one job for each; the job looks again."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

import structlog

from bindery.actions.policy.end_term import end_term, expire_quote, lapse_binder, let_referral_go_stale
from bindery.actions.policy.remind_of_end import remind_of_end, remind_of_lapse
from bindery.actions.policy.rescan_policy import rescan_policy
from bindery.actions.renewal.settle_renewal import remind_of_renewal, settle_renewal
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.domain.business_rules import BusinessRules
from bindery.domain.figures import bounds_of, days_to_figure
from bindery.domain.jobs import (
    FINISH_BIND,
    FINISH_ISSUE,
    PLAY_CLIENT,
    PLAY_UNDERWRITER,
    PROCESS_SUBMISSION,
    failure_of,
)
from bindery.domain.messages.desk_mails import QUOTE_REMINDERS_BEFORE
from bindery.domain.messages.notice_mails import LAPSE_REMINDERS_BEFORE
from bindery.domain.policy.renewal import OFFERED_BEFORE, REMINDERS_BEFORE
from bindery.domain.quote.quote import REFERRAL_WAITS_FOR
from bindery.runtime import Runtime
from bindery.storage.database import Database, Reader
from bindery.storage.jobs import job_view, queue
from bindery.storage.operations import deeds, figures
from bindery.storage.policy import due, filings
from bindery.storage.policy.due import Waiting
from bindery.storage.signing import client_links
from bindery.storage.submission import submissions

BATCH: Final = 1_000
STANDS_STILL_AFTER: Final = timedelta(minutes=2)
RESTS_FOR: Final = timedelta(minutes=10)
"""A job that failed for good is queued again no sooner than this, however often it is found to be due."""

RESCANS_AT_ONCE: Final = 5
"""Rescans that are queued or running at a time: a scan takes seconds, and those of new quotes come first.

One look a minute makes 7,200 a day, the turns of 200,000 policies.
"""

A_DAY: Final = timedelta(days=1)
log = structlog.get_logger()

Job = Callable[[Runtime, uuid.UUID], Awaitable[None]]
MOST_AT_ONCE: Final = 100
"""Days that one run counts; after a long outage the next run continues."""


def _by_dates_alone(job: Callable[[Database, uuid.UUID], Awaitable[None]]) -> Job:
    return lambda runtime, quote_id: job(runtime.database, quote_id)


def _by_rules(job: Callable[[Database, BusinessRules, uuid.UUID], Awaitable[None]]) -> Job:
    return lambda runtime, quote_id: job(runtime.database, runtime.rules, quote_id)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Quotes or policies that wait for a day, how long after it they are due, and the job that each gets."""

    waiting: Waiting
    job: Job
    due_after: timedelta = timedelta()
    at_once: int = BATCH
    """How many are queued in one look: the first that are due, which are the same until they are done."""

    async def find(self, tx: Reader, rules: BusinessRules, today: date) -> list[uuid.UUID]:
        before = today - self.due_after + A_DAY
        if self.waiting is due.REFERRALS:
            # Referrals wait since a moment, which falls on a day of the business's time zone.
            before = datetime.combine(before, time.min, rules.zone)
        return await due.find(tx, self.waiting, before, limit=self.at_once)


# In the order in which things follow each other: a renewal is made before its policy ends, and bound on the
# day before the old one is put away.
SWEEPS: Final[Mapping[str, Sweep]] = {
    "submit_renewal": Sweep(due.POLICIES_TO_RENEW, _by_dates_alone(submit_renewal), -OFFERED_BEFORE),
    "remind_of_renewal": Sweep(
        due.RENEWALS_TO_REMIND_OF[0], _by_rules(remind_of_renewal), -REMINDERS_BEFORE[0]
    ),
    "remind_again_of_renewal": Sweep(
        due.RENEWALS_TO_REMIND_OF[1], _by_rules(remind_of_renewal), -REMINDERS_BEFORE[1]
    ),
    "settle_renewal": Sweep(due.RENEWALS_OFFERED, _by_rules(settle_renewal)),
    "end_term": Sweep(due.TERMS_TO_END, _by_dates_alone(end_term)),
    **{
        f"remind_of_lapse_{number}": Sweep(waiting, _by_rules(remind_of_lapse), -before)
        for number, (waiting, before) in enumerate(
            zip(due.BINDERS_TO_REMIND_OF, LAPSE_REMINDERS_BEFORE, strict=True), start=1
        )
    },
    "lapse_binder": Sweep(due.BINDERS_TO_FULFIL, _by_rules(lapse_binder), A_DAY),
    **{
        f"remind_of_end_{number}": Sweep(waiting, _by_rules(remind_of_end), -before)
        for number, (waiting, before) in enumerate(
            zip(due.QUOTES_TO_REMIND_OF, QUOTE_REMINDERS_BEFORE, strict=True), start=1
        )
    },
    "expire_quote": Sweep(due.OPEN_QUOTES, _by_dates_alone(expire_quote), A_DAY),
    "let_referral_go_stale": Sweep(
        due.REFERRALS, _by_dates_alone(let_referral_go_stale), REFERRAL_WAITS_FOR + A_DAY
    ),
    "rescan_policy": Sweep(due.POLICIES_TO_RESCAN, rescan_policy, at_once=RESCANS_AT_ONCE),
}
"""By the name of the queue's entrypoint."""


async def sweep(database: Database, rules: BusinessRules, name: str) -> int:
    """Queue the due jobs of a sweep; a job that is queued already is not queued twice."""
    async with database.transaction() as tx:
        found = await SWEEPS[name].find(tx, rules, tx.today)
        return await queue.enqueue(tx, name, [str(quote_id) for quote_id in found], rest=RESTS_FOR)


async def requeue_standing_still(database: Database) -> int:
    """Queue submissions again whose job was lost."""
    async with database.transaction() as tx:
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


async def requeue_unfinished_binds(database: Database) -> int:
    """Queue the finishing of binds again whose documents or events are missing."""
    count = 0
    async with database.transaction() as tx:
        for job, issued in ((FINISH_BIND, False), (FINISH_ISSUE, True)):
            found = await due.binds_unfinished(
                tx, issued=issued, before=tx.now - STANDS_STILL_AFTER, without=job, limit=BATCH
            )
            count += await queue.enqueue(tx, job, [str(quote_id) for quote_id in found], rest=RESTS_FOR)
    if count:
        log.warning("binds_stood_still", count=count)
    return count


async def requeue_bind_requests(database: Database, rules: BusinessRules) -> int:
    """Retry the demo underwriter's decisions on requested binds whose applicants' names ask for one."""
    demo_outcomes = rules.demo_outcomes
    async with database.transaction() as tx:
        requested = await submissions.bind_requests(tx, before=tx.now - STANDS_STILL_AFTER, limit=BATCH)
        asked = [
            str(submission_id) for submission_id, name in requested if demo_outcomes.played_decision(name)
        ]
        return await queue.enqueue(tx, PLAY_UNDERWRITER, asked, rest=RESTS_FOR)


async def requeue_played_clients(database: Database, rules: BusinessRules) -> int:
    """Retry the demo client's links whose job was lost."""
    endings = rules.demo_outcomes.played_clients
    if not endings:
        return 0
    async with database.transaction() as tx:
        before = tx.now - STANDS_STILL_AFTER
        sent = await client_links.standing_still(tx, endings, before=before, limit=BATCH)
        return await queue.enqueue(tx, PLAY_CLIENT, [str(link_id) for link_id in sent], rest=RESTS_FOR)


async def expire_client_links(database: Database) -> int:
    """Mark links to clients that have ended; whoever opens one is refused by the clock before that."""
    async with database.transaction() as tx:
        return await client_links.expire(tx, limit=BATCH)


async def next_days(database: Database, rules: BusinessRules) -> dict[str, date]:
    """Return the next day on which each sweep has something to do, in the order of the sweeps."""
    async with database.reading() as tx:
        firsts = await due.earliest(tx, {name: entry.waiting for name, entry in SWEEPS.items()})
    days = {
        name: rules.day_of(first) if isinstance(first, datetime) else first for name, first in firsts.items()
    }
    return {name: day + SWEEPS[name].due_after for name, day in days.items()}


async def figure_days(database: Database, rules: BusinessRules, most: int = MOST_AT_ONCE) -> int:
    """Keep the figures of finished days that have none yet, the newest first; return how many."""
    zone = rules.zone
    async with database.reading() as tx:
        moment = await figures.first_moment(tx)
        first = None if moment is None else rules.day_of(moment)
        done = set() if first is None else await figures.figured_since(tx, first)
        missing = days_to_figure(first, done, now=tx.now, zone=zone)[:most]
        bounds = {day: bounds_of(day, zone) for day in missing}
        busy = await figures.busy_days(tx, bounds) if bounds else set()
    kept = 0
    if quiet := bounds.keys() - busy:
        async with database.transaction() as tx:
            kept += await figures.keep_quiet(tx, quiet)
    for day in missing:
        if day in busy:
            async with database.transaction() as tx:
                kept += await figures.keep(tx, day, await figures.count_between(tx, *bounds[day]))
    return kept


async def add_up_sums(database: Database) -> int:
    """Add up what each booking added to the sums of the ledger; return how many sums had grown."""
    async with database.transaction() as tx:
        return await filings.add_up_sums(tx)


async def retry_failures(database: Database, kind: str, failure: str, *, by: Doer = SERVICE) -> int:
    """Queue the failed jobs of a kind again that failed in that way, and return how many."""
    async with database.transaction() as tx:
        failed = await job_view.list_jobs(
            tx, kind=kind, status=job_view.JobStatus.FAILED, limit=job_view.MOST_FAILED
        )
        alike = [job.id for job in failed if failure_of(job.error) == failure]
        count = sum([await queue.retry_failed(tx, job_id=job_id) for job_id in alike])
        if count:
            await deeds.append(tx, by, Deed.JOB_RETRIED, kind, details=f"{count:,} that failed alike")
    return count


async def retry_jobs(
    database: Database, *, job_id: int | None = None, kind: str | None = None, by: Doer = SERVICE
) -> int:
    """Queue failed jobs again, one by its id, those of a kind, or all; return how many."""
    async with database.transaction() as tx:
        count = await queue.retry_failed(tx, job_id=job_id, kind=kind)
        if count:
            about = f"job {job_id}" if job_id is not None else kind or "all kinds"
            await deeds.append(tx, by, Deed.JOB_RETRIED, about, details="" if job_id else f"{count:,} failed")
    return count
