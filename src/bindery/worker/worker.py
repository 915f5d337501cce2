"""The worker: an engine that outlives whatever ends it, with the delivery loop and the idle press."""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from bindery.base.ids import uuid7
from bindery.runtime import Runtime
from bindery.storage.database import UNAVAILABLE
from bindery.storage.jobs import queue
from bindery.worker.deliveries import run_deliveries
from bindery.worker.engine import run_engine
from bindery.worker.idle_press import run_idle_press
from bindery.worker.patient_driver import sleep_unless

BEATS_EVERY_S: Final = 20.0
PAUSE_AFTER_CRASH_S: Final = 1.0

log = structlog.get_logger()


async def run_presence(runtime: Runtime, stop: asyncio.Event) -> None:
    """Report this worker as alive until told to stop, so that operators notice when none is."""
    worker_id = uuid7(runtime.clock.real_now(), runtime.database.rng)
    while not stop.is_set():
        with suppress(*UNAVAILABLE):
            async with runtime.database.autocommit() as tx:
                await queue.beat(tx, worker_id, sends_mail=runtime.postman is not None)
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
