"""Reporting that this worker is alive, so that operators are told when none is."""

import asyncio
from contextlib import suppress
from typing import Final

from bindery.base.ids import uuid7
from bindery.runtime import Runtime
from bindery.storage.database import UNAVAILABLE
from bindery.storage.jobs import queue
from bindery.worker.patient_driver import sleep_unless

BEATS_EVERY_S: Final = 20.0


async def run_presence(runtime: Runtime, stop: asyncio.Event) -> None:
    """Report this worker as alive until told to stop; while the database is away nobody hears it."""
    worker_id = uuid7(runtime.clock.real_now(), runtime.database.rng)
    while not stop.is_set():
        with suppress(*UNAVAILABLE):
            async with runtime.database.autocommit() as tx:
                await queue.beat(tx, worker_id)
        await sleep_unless(stop, BEATS_EVERY_S)
    with suppress(*UNAVAILABLE):
        async with runtime.database.autocommit() as tx:
            await queue.leave(tx, worker_id)
