"""The PostgreSQL of a run, and what can be done to it."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import asyncpg
import psutil

from bindery.outside import embedded_postgres
from bindery.outside.embedded_postgres.processes import find_postmaster

STOPS_WITHIN_S = 30.0
SMALL_DISK = "640m"
SOCKET = ".s.PGSQL.5432"


class Postgres:
    """A server in a folder of its own; in the demo's data folder the service keeps it, otherwise we do."""

    def __init__(self, folder: Path, *, is_ours: bool) -> None:
        self.folder = folder
        self.is_ours = is_ours

        self.socket = Path()

    async def start(self) -> None:
        """Start the server if it is ours to start and not running."""
        if self.is_ours:
            await asyncio.to_thread(embedded_postgres.ensure_running, self.folder)
        self.find_socket()

    def find_socket(self) -> None:
        """Note where the server listens; that stays the same however often it is started."""
        found = find_postmaster(self.folder / "postgres" / "data")
        if found is not None and found.socket_folder is not None:
            self.socket = found.socket_folder / SOCKET

    async def keep_small(self) -> None:
        """Keep the write-ahead log small enough for a small disk."""
        connection = await self.connect()
        try:
            await connection.execute("alter system set max_wal_size = '96MB'")
            await connection.execute("alter system set min_wal_size = '32MB'")
            await connection.execute("select pg_reload_conf()")
        finally:
            await connection.close()

    async def connect(self) -> asyncpg.Connection:
        """Connect past the proxy; for looking at what the API does not show, once the load is over."""
        host = quote(str(self.socket.parent))
        return await asyncpg.connect(f"postgresql://bindery@/bindery?host={host}", timeout=30)

    def postmaster(self) -> psutil.Process | None:
        found = find_postmaster(self.folder / "postgres" / "data")
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(found.pid) if found is not None else None
        return None

    def backends(self) -> list[psutil.Process]:
        """Return the processes that serve the service's connections."""
        found = []
        for child in self._children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if "postgres: bindery bindery" in " ".join(child.cmdline()):
                    found.append(child)
        return found

    async def end(self, by: signal.Signals) -> None:
        """End the server by a signal; a fast stop that hangs is made an immediate one."""
        postmaster = self.postmaster()
        if postmaster is None:
            return
        for attempt in (by, signal.SIGQUIT):
            with contextlib.suppress(psutil.NoSuchProcess):
                postmaster.send_signal(attempt)
            if await asyncio.to_thread(_wait_for_end, postmaster):
                return

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes where they are, until the block ends."""
        postmaster = self.postmaster()
        stopped = [] if postmaster is None else [postmaster, *self._children()]
        try:
            for process in stopped:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.suspend()
            yield
        finally:
            for process in reversed(stopped):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def _children(self) -> list[psutil.Process]:
        postmaster = self.postmaster()
        with contextlib.suppress(psutil.NoSuchProcess):
            return postmaster.children(recursive=True) if postmaster is not None else []
        return []


class SmallDisk:
    """A file system of memory that is small enough to be filled."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"
        self.folder = folder

    def fill(self) -> None:
        """Take all room that is left."""
        with self._filler.open("wb") as file:
            while (free := shutil.disk_usage(self.folder).free) > 0:
                try:
                    os.posix_fallocate(file.fileno(), file.tell(), free)
                    file.seek(0, os.SEEK_END)
                except OSError:
                    return

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk | None]:
    """Mount a small file system on a new folder; None where this account may not mount."""
    folder.mkdir(parents=True)
    mounted = os.geteuid() == 0 and _quietly(
        "mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=0711", "bindery-faults", str(folder)
    )
    try:
        yield SmallDisk(folder) if mounted else None
    finally:
        if mounted:
            _quietly("umount", "--lazy", str(folder))


def _quietly(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _wait_for_end(process: psutil.Process) -> bool:
    until = time.monotonic() + STOPS_WITHIN_S
    while time.monotonic() < until:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)
                continue
        return True
    return False
