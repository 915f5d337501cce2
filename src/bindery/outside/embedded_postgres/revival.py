"""Start a server again that has died while processes still need it."""

import asyncio
import contextlib
import threading
from pathlib import Path
from typing import Final

import structlog

from bindery.base.errors import Misconfigured
from bindery.outside.embedded_postgres.server import ensure_running, has_died

PAUSE_AFTER_FAILURE_S: Final = 3.0

log = structlog.get_logger()


async def revive(folder: Path) -> None:
    """Start the folder's server if it has died; one that lives is left alone, however it behaves.

    Any number of processes may do so at once: one of them starts it, the others find it started.
    """
    if not has_died(folder):
        return
    fault = await _started(folder)
    if fault is None:
        log.warning("embedded_database_restarted", folder=str(folder))
        return
    log.error("embedded_database_not_restarted", folder=str(folder), reason=fault.message)
    await asyncio.sleep(PAUSE_AFTER_FAILURE_S)


async def _started(folder: Path) -> Misconfigured | None:
    """Start the server off the event loop, and return what kept it from starting.

    A recovery can take minutes. A process that is stopped meanwhile does not wait for the thread, which can
    be left behind because the server starts in its own session.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Misconfigured | None] = loop.create_future()

    def finish(fault: Misconfigured | None) -> None:
        if not ended.done():
            ended.set_result(fault)

    def start() -> None:
        outcome = None
        try:
            ensure_running(folder)
        except Misconfigured as fault:
            outcome = fault
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(finish, outcome)

    threading.Thread(target=start, name="revive-database", daemon=True).start()
    return await ended
