"""The timetable's sweeps: each finds what is due and queues one job for each; the job looks again."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from bindery.actions.end_offers import expire_quote, let_referral_go_stale
from bindery.domain.deadlines import stale_before
from bindery.runtime import Runtime
from bindery.storage import queue, quotes, submissions
from bindery.storage.database import Tx
from bindery.storage.intake import PROCESS_SUBMISSION

BATCH: Final = 1_000
STANDS_STILL_AFTER: Final = timedelta(minutes=2)

log = structlog.get_logger()

Due = Callable[[Runtime, Tx], Awaitable[list[uuid.UUID]]]
Job = Callable[[Runtime, uuid.UUID], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to look for, and the job that each find gets."""

    due: Due
    job: Job


async def _expired(runtime: Runtime, tx: Tx) -> list[uuid.UUID]:
    return await quotes.due_for_expiry(tx, runtime.business_day(tx.now), limit=BATCH)


async def _stale(runtime: Runtime, tx: Tx) -> list[uuid.UUID]:
    before = stale_before(runtime.business_day(tx.now), runtime.settings.zone)
    return await quotes.due_for_staleness(tx, before, limit=BATCH)


SWEEPS: Final[Mapping[str, Sweep]] = {
    "expire_quote": Sweep(_expired, expire_quote),
    "let_referral_go_stale": Sweep(_stale, let_referral_go_stale),
}
"""By the name of the queue's entrypoint."""


async def sweep(runtime: Runtime, name: str) -> int:
    """Queue what is due; what is queued already is not queued twice."""
    async with runtime.database.transaction() as tx:
        due = await SWEEPS[name].due(runtime, tx)
        return await queue.enqueue(tx, name, [str(quote_id) for quote_id in due])


async def requeue_standing_still(runtime: Runtime) -> int:
    """Queue the submissions again whose work was lost, whatever lost it."""
    async with runtime.database.transaction() as tx:
        still = await submissions.standing_still(tx, before=tx.now - STANDS_STILL_AFTER, limit=BATCH)
        count = await queue.enqueue(tx, PROCESS_SUBMISSION, [str(submission_id) for submission_id in still])
    if count:
        log.warning("submissions_stood_still", count=count)
    return count


async def run_what_is_due(runtime: Runtime) -> None:
    """Do at once what the sweeps would queue, until nothing is due; the moved demo clock calls for it."""
    for entry in SWEEPS.values():
        while True:
            async with runtime.database.reading() as tx:
                due = await entry.due(runtime, tx)
            if not due:
                break
            for quote_id in due:
                await entry.job(runtime, quote_id)
