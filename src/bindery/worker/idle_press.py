"""Making documents ahead, when there is nothing else to do: the newest first, one at a time."""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from bindery.actions.documents.make_document import make_unmade
from bindery.memory.live import MOVED, READY
from bindery.runtime import Runtime
from bindery.storage.database import is_outage
from bindery.storage.documents import packets
from bindery.storage.jobs import queue
from bindery.worker.patient_driver import first_of, sleep_unless

LOOKS_EVERY_S: Final = 1.0
"""While there is something to make, but a job waits."""
DOZES_S: Final = 60.0
"""How long to wait for a notice when there is nothing to make."""
LEASE: Final = timedelta(minutes=1)
"""A packet whose worker has not finished it by then is taken by another."""

log = structlog.get_logger()


async def run_idle_press(runtime: Runtime, stop: asyncio.Event) -> None:
    """Make documents that nobody has asked for yet, whenever no job waits, until told to stop."""
    news = asyncio.Event()
    watch = runtime.database.watch
    with (
        watch.receiving(READY, lambda _: news.set(), news.set),
        watch.receiving(MOVED, lambda _: news.set(), news.set),
    ):
        while not stop.is_set():
            news.clear()
            try:
                made = await make_newest(runtime)
            except Exception as fault:
                made = False
                if is_outage(fault):
                    log.debug("idle_press_interrupted", reason=str(fault))
                else:
                    log.exception("idle_press_failed")
            if made is None:
                await first_of(news, stop, within_s=DOZES_S)
            # A pause gathers the packets of several notices, and lets the queue run empty first.
            if not made:
                await sleep_unless(stop, LOOKS_EVERY_S)


async def make_newest(runtime: Runtime) -> bool | None:
    """Make the documents of the newest packet that has any to make, unless a job waits.

    Returns whether it did, and None when there is nothing to make.
    """
    async with runtime.database.transaction() as tx:
        if await queue.is_anything_waiting(tx):
            return False
        claimed = await packets.claim_unmade(tx, lease=LEASE)
    if claimed is None:
        return None
    quote_id, packet = claimed

    async def is_idle() -> bool:
        async with runtime.database.reading() as tx:
            return not await queue.is_anything_waiting(tx)

    return await make_unmade(runtime, quote_id, packet, go_on=is_idle)
