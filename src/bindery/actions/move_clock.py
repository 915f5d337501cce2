"""The demo's clock: moving it plays everything that falls due on the way, each day in its turn."""

import uuid
from datetime import date, datetime, time, timedelta

from bindery.actions.process_submission import process_submission
from bindery.actions.sweep import SWEEPS, Sweep, next_due_day
from bindery.runtime import Runtime
from bindery.storage import service_clock, submissions

A_MINUTE_PAST_MIDNIGHT = time(0, 1)


async def move_clock(runtime: Runtime, days: int) -> datetime:
    """Move the demo's business clock ahead and do everything that became due; give the new time."""
    target = await runtime.database.now() + timedelta(days=days)
    while True:
        await _run_what_is_due(runtime)
        now = await runtime.database.now()
        stop = await _next_stop(runtime, runtime.business_day(now))
        if stop is None or stop >= target:
            break
        await _advance(runtime, stop - now)
    await _advance(runtime, target - await runtime.database.now())
    await _run_what_is_due(runtime)
    return await runtime.database.now()


async def _advance(runtime: Runtime, by: timedelta) -> None:
    async with runtime.database.transaction() as tx:
        await service_clock.advance(tx, max(by, timedelta()))


async def _next_stop(runtime: Runtime, today: date) -> datetime | None:
    """Give the moment at which the next thing falls due, but not before tomorrow."""
    day = await next_due_day(runtime)
    if day is None:
        return None
    return datetime.combine(
        max(day, today + timedelta(days=1)), A_MINUTE_PAST_MIDNIGHT, runtime.settings.zone
    )


async def _run_what_is_due(runtime: Runtime) -> None:
    """Do at once what the sweeps would queue, and work the renewals that come of it."""
    for entry in SWEEPS.values():
        await _run_sweep(runtime, entry)
        async with runtime.database.reading() as tx:
            renewals = await submissions.renewals_in_pipeline(tx)
        for submission_id in renewals:
            while await process_submission(runtime, submission_id) is not None:
                pass


async def _run_sweep(runtime: Runtime, entry: Sweep) -> None:
    done: set[uuid.UUID] = set()
    while True:
        async with runtime.database.reading() as tx:
            found = await entry.find(runtime, tx, runtime.business_day(tx.now))
        # What is found again after its job ran waits for something else.
        fresh = [quote_id for quote_id in found if quote_id not in done]
        if not fresh:
            return
        for quote_id in fresh:
            await entry.job(runtime, quote_id)
        done.update(fresh)
