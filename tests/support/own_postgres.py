"""A PostgreSQL of the test's own, to be stopped, killed and frozen."""

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil

from bindery.outside.embedded_postgres import ensure_running, status, stop
from bindery.outside.embedded_postgres.processes import find_postmaster
from bindery.storage.migrate import migrate

WITHIN_S = 60.0


class OwnPostgres:
    """The server of one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dsn = ""

    @property
    def data(self) -> Path:
        return self.folder / "postgres" / "data"

    def start(self) -> str:
        self.dsn = ensure_running(self.folder, durable=False).dsn
        return self.dsn

    def stop(self) -> None:
        """Stop it as an operator does: clients are cut, and it comes up without recovery."""
        stop(self.folder)

    def stop_at_once(self) -> None:
        """Stop it without a checkpoint; it recovers at its next start."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, by: signal.Signals) -> None:
        pid = self.pid
        os.kill(pid, by)
        until = time.monotonic() + WITHIN_S
        while pid in self.pids() and time.monotonic() < until:
            time.sleep(0.02)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze every process of the server, and let them continue afterwards."""
        frozen = self.pids()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in frozen:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @property
    def pid(self) -> int:
        found = find_postmaster(self.data)
        assert found is not None, "the server does not run"
        return found.pid

    @property
    def is_running(self) -> bool:
        return status(self.folder).running

    def backends(self) -> list[psutil.Process]:
        """Return the processes that serve our programs' connections."""
        found = []
        for pid in self.pids():
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if "bindery bindery" in " ".join(process.cmdline()):
                    found.append(process)
        return found

    def pids(self) -> list[int]:
        """Find the server and everything it started, by their working folder."""
        data = self.data.resolve()
        return [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and _works_in(entry, data)
        ]


def _works_in(process: Path, data: Path) -> bool:
    with contextlib.suppress(OSError):
        return (process / "cwd").readlink() == data
    return False


@cache
def _migrated() -> Path:
    """Return a stopped server with our tables, made once for a process of the tests, to be copied."""
    made = tempfile.mkdtemp(prefix="bindery-migrated-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    folder = Path(made) / "own"
    asyncio.run(migrate(ensure_running(folder, durable=False).dsn))
    stop(folder)
    return folder


@contextlib.contextmanager
def own_postgres(folder: Path) -> Iterator[OwnPostgres]:
    """Run a migrated server on a folder until the block ends."""
    subprocess.run(["cp", "--archive", f"{_migrated()}/.", folder], check=True)
    own = OwnPostgres(folder)
    own.start()
    try:
        yield own
    finally:
        own.stop()
