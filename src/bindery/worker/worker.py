"""The worker: an engine that outlives whatever ends it, with the delivery loop and the idle press."""

import asyncio
from typing import Final

import structlog

from bindery.runtime import Runtime
from bindery.worker.deliveries import run_deliveries
from bindery.worker.engine import run_engine
from bindery.worker.idle_press import run_idle_press
from bindery.worker.patient_driver import sleep_unless
from bindery.worker.presence import run_presence

PAUSE_AFTER_CRASH_S: Final = 1.0

log = structlog.get_logger()


async def run_worker(runtime: Runtime, *, concurrency: int, stop: asyncio.Event | None = None) -> None:
    """Work until canceled or told to stop; what is being worked on is finished first."""
    told = stop or asyncio.Event()
    delivering = asyncio.create_task(run_deliveries(runtime, told))
    pressing = asyncio.create_task(run_idle_press(runtime, told))
    living = asyncio.create_task(run_presence(runtime, told))
    try:
        while not told.is_set():
            try:
                await run_engine(runtime, concurrency=concurrency, stop=told)
            except Exception:
                log.exception("worker_crashed")
                await sleep_unless(told, PAUSE_AFTER_CRASH_S)
    finally:
        told.set()
        await asyncio.gather(delivering, pressing, living)
