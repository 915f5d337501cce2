"""The worker: an engine that outlives whatever ends it, and the delivery loop beside it."""

import asyncio
from typing import Final

import asyncpg
import structlog

from bindery.base.errors import Misconfigured
from bindery.runtime import Runtime
from bindery.storage.health import lacks_tables
from bindery.worker.deliveries import run_deliveries
from bindery.worker.engine import run_engine
from bindery.worker.outage import is_outage
from bindery.worker.patient_driver import CONNECTS_WITHIN_S, PAUSES_S, sleep_unless

PAUSE_AFTER_CRASH_S: Final = 1.0

log = structlog.get_logger()


async def run_worker(runtime: Runtime, *, concurrency: int, stop: asyncio.Event | None = None) -> None:
    """Work until cancelled or told to stop; what is being worked on is finished first."""
    told = stop or asyncio.Event()
    delivering = asyncio.create_task(run_deliveries(runtime, told))
    try:
        while not told.is_set():
            try:
                await run_engine(runtime, concurrency=concurrency, stop=told)
            except Exception:
                log.exception("worker_crashed")
                await sleep_unless(told, PAUSE_AFTER_CRASH_S)
    finally:
        told.set()
        await delivering


async def wait_for_database(dsn: str, stop: asyncio.Event) -> None:
    """Wait until the database answers, and see that it has this version's tables.

    Raises:
        Misconfigured: it has not, or lets nobody in.
    """
    tries = 0
    while not stop.is_set():
        try:
            connection = await asyncpg.connect(dsn, timeout=CONNECTS_WITHIN_S)
            try:
                if await lacks_tables(connection):
                    raise Misconfigured(
                        "The database lacks this version's tables; run `bindery migrate` first."
                    )
            finally:
                connection.terminate()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as fault:
            if not is_outage(fault):
                raise Misconfigured(f"The database cannot be reached: {fault}") from fault
            log.warning("database_away", reason=f"{type(fault).__name__}: {fault}")
        else:
            return
        await sleep_unless(stop, PAUSES_S[min(tries, len(PAUSES_S) - 1)])
        tries += 1
