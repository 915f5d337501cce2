"""The worker: an engine that outlives whatever ends it, with the delivery loop and the idle press."""

import asyncio
import time
from contextlib import suppress
from typing import Final

import msgspec
import structlog

from bindery.actions.timetable.check_service import check_service
from bindery.base.ids import uuid7
from bindery.runtime import Runtime
from bindery.storage.database import UNAVAILABLE
from bindery.storage.jobs import queue
from bindery.worker.deliveries import run_deliveries
from bindery.worker.engine import run_engine
from bindery.worker.idle_press import run_idle_press
from bindery.worker.patient_driver import sleep_unless

BEATS_EVERY_S: Final = 20.0
CHECKS_EVERY_S: Final = 600.0
REPORTS_AFTER_S: Final = 1.0
PAUSE_AFTER_CRASH_S: Final = 1.0

log = structlog.get_logger()


async def run_presence(runtime: Runtime, stop: asyncio.Event) -> None:
    """Report this worker as alive until told to stop, so that operators notice when none is."""
    worker_id = uuid7(runtime.clock.real_now(), runtime.database.rng)
    report, checked_at = None, -CHECKS_EVERY_S
    while not stop.is_set():
        with suppress(*UNAVAILABLE):
            async with runtime.database.autocommit() as tx:
                await queue.beat(tx, worker_id, sends_mail=runtime.postman is not None, report=report)
        report = None
        if time.monotonic() - checked_at >= CHECKS_EVERY_S:
            # After the first beat: a worker is seen at once, and what it finds goes with the next.
            report = msgspec.json.encode(await check_service(runtime, sees_worker=False)).decode()
            checked_at = time.monotonic()
            await sleep_unless(stop, REPORTS_AFTER_S)
        else:
            await sleep_unless(stop, BEATS_EVERY_S)
    with suppress(*UNAVAILABLE):
        async with runtime.database.autocommit() as tx:
            await queue.leave(tx, worker_id)


async def run_worker(runtime: Runtime, *, concurrency: int, stop: asyncio.Event | None = None) -> None:
    """Work until canceled or stopped; jobs under way are finished first."""
    stopping = stop or asyncio.Event()
    delivering = asyncio.create_task(run_deliveries(runtime, stopping))
    pressing = asyncio.create_task(run_idle_press(runtime, stopping))
    living = asyncio.create_task(run_presence(runtime, stopping))
    try:
        while not stopping.is_set():
            try:
                await run_engine(runtime, concurrency=concurrency, stop=stopping)
            except Exception:
                log.exception("worker_crashed")
                await sleep_unless(stopping, PAUSE_AFTER_CRASH_S)
    finally:
        stopping.set()
        await asyncio.gather(delivering, pressing, living)
