"""The demo's clock: moving it plays everything that falls due on the way, each day in its turn."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, time, timedelta
from functools import partial
from typing import Final

from bindery.actions.submission.process_submission import Pipeline
from bindery.actions.timetable.sweep import SWEEPS, figure_days, next_days
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.base.clock import Clock
from bindery.domain.business_rules import BusinessRules
from bindery.runtime import Runtime
from bindery.storage import service_clock
from bindery.storage.database import Database
from bindery.storage.submission import submissions

A_MINUTE_PAST_MIDNIGHT: Final = time(0, 1)
AT_ONCE: Final = 4
"""Jobs of one day that run side by side; some connections are left for other callers."""
MOST_FIGURED: Final = 200
"""Finished days that are counted at once: those that the dashboard shows; the timetable counts older ones."""


async def move_clock(runtime: Runtime, days: float) -> datetime:
    """Move the demo's business clock ahead and do everything that became due; return the new time."""
    target = await runtime.database.now() + timedelta(days=days)
    while True:
        await run_what_is_due(runtime)
        stop = await _next_stop(runtime.database, runtime.rules)
        if stop is None or stop >= target:
            break
        await _advance_to(runtime.database, runtime.clock, stop)
    await _advance_to(runtime.database, runtime.clock, target)
    await run_what_is_due(runtime)
    await deliver_due(runtime)
    await figure_days(runtime.database, runtime.rules, MOST_FIGURED)
    return await runtime.database.now()


async def run_what_is_due(runtime: Runtime) -> None:
    """Do at once the jobs that the sweeps would queue, and those that become due by them."""
    done: set[tuple[str, uuid.UUID]] = set()
    while True:
        before = len(done)
        today = await runtime.database.today()
        for name in [
            name for name, day in (await next_days(runtime.database, runtime.rules)).items() if day <= today
        ]:
            job = partial(SWEEPS[name].job, runtime)
            await _run_sweep(runtime.database, runtime.rules, name, job, done)
            await _work_renewals(runtime)
        # A find whose job ran already waits for something else.
        if len(done) == before:
            return


async def _run_sweep(
    database: Database,
    rules: BusinessRules,
    name: str,
    job: Callable[[uuid.UUID], Awaitable[None]],
    done: set[tuple[str, uuid.UUID]],
) -> None:
    while True:
        async with database.reading() as tx:
            found = await SWEEPS[name].find(tx, rules, tx.today)
        fresh = [quote_id for quote_id in found if (name, quote_id) not in done]
        if not fresh:
            return
        await _each(job, fresh)
        done.update((name, quote_id) for quote_id in fresh)


async def _work_renewals(runtime: Runtime) -> None:
    """Work on the renewals that were submitted just now; a worker may do so at the same time."""
    async with runtime.database.reading() as tx:
        renewals = await submissions.renewals_in_pipeline(tx)

    pipeline = Pipeline(runtime)

    async def work(submission_id: uuid.UUID) -> None:
        while await pipeline.process(submission_id) is not None:
            pass

    await _each(work, renewals)


async def _each(job: Callable[[uuid.UUID], Awaitable[None]], ids: Iterable[uuid.UUID]) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def do(subject: uuid.UUID) -> None:
        async with places:
            await job(subject)

    async with asyncio.TaskGroup() as group:
        for subject in ids:
            group.create_task(do(subject))


async def _next_stop(database: Database, rules: BusinessRules) -> datetime | None:
    """Return the moment at which the next thing falls due, but not before tomorrow."""
    days = await next_days(database, rules)
    if not days:
        return None
    tomorrow = await database.today() + timedelta(days=1)
    day = max(min(days.values()), tomorrow)
    return datetime.combine(day, A_MINUTE_PAST_MIDNIGHT, rules.zone)


async def _advance_to(database: Database, clock: Clock, moment: datetime) -> None:
    async with database.transaction() as tx:
        await service_clock.advance_to(tx, moment, real_now=clock.real_now())
