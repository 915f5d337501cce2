"""The PostgreSQL of a run, and what can be done to it."""

import asyncio
import contextlib
import signal
from pathlib import Path
from urllib.parse import quote

import asyncpg
import psutil

from bindery.outside import embedded_postgres
from bindery.outside.embedded_postgres.processes import find_postmaster

STOPS_WITHIN_S = 30.0
SOCKET = ".s.PGSQL.5432"


class Postgres:
    """A server in a folder of its own; in the demo's data folder the service keeps it, otherwise we do."""

    def __init__(self, folder: Path, *, is_ours: bool) -> None:
        self.folder = folder
        self.is_ours = is_ours
        self.socket = Path()

    async def start(self) -> None:
        """Start the server if it is ours to start and not running; where it listens stays the same."""
        if self.is_ours:
            await asyncio.to_thread(embedded_postgres.ensure_running, self.folder)
        found = find_postmaster(self.folder / "postgres" / "data")
        if found is not None and found.socket_folder is not None:
            self.socket = found.socket_folder / SOCKET

    async def connect(self) -> asyncpg.Connection:
        """Connect past the proxy; for looking at what the API does not show, once the load is over."""
        host = quote(str(self.socket.parent))
        return await asyncpg.connect(f"postgresql://bindery@/bindery?host={host}", timeout=30)

    def members(self) -> list[psutil.Process]:
        """Return the postmaster and its children; none where it is not running."""
        found = find_postmaster(self.folder / "postgres" / "data")
        with contextlib.suppress(psutil.NoSuchProcess):
            if found is not None:
                postmaster = psutil.Process(found.pid)
                return [postmaster, *postmaster.children(recursive=True)]
        return []

    def backends(self) -> list[psutil.Process]:
        """Return the processes that serve the service's connections."""
        found = []
        for child in self.members()[1:]:
            with contextlib.suppress(psutil.NoSuchProcess):
                if "postgres: bindery bindery" in " ".join(child.cmdline()):
                    found.append(child)
        return found

    async def end(self, by: signal.Signals) -> None:
        """End the server by a signal; a fast stop that hangs is made an immediate one."""
        for postmaster in self.members()[:1]:
            for attempt in (by, signal.SIGQUIT):
                with contextlib.suppress(psutil.NoSuchProcess):
                    postmaster.send_signal(attempt)
                if await asyncio.to_thread(_has_ended, postmaster):
                    return


def _has_ended(process: psutil.Process) -> bool:
    """Wait for the end; a zombie that nobody waits for has ended too."""
    _, alive = psutil.wait_procs([process], timeout=STOPS_WITHIN_S)
    with contextlib.suppress(psutil.NoSuchProcess):
        return not alive or process.status() == psutil.STATUS_ZOMBIE
    return True
