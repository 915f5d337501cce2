"""A PostgreSQL of a test's own, to be stopped, killed and frozen."""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from bindery.outside.embedded_postgres import ensure_running, status, stop


@dataclass
class OwnServer:
    """A server that a test does to what it likes; its address stays the same."""

    folder: Path
    dsn: str

    @property
    def pid(self) -> int:
        pid = status(self.folder).pid
        assert pid is not None, "the server runs"
        return pid

    def stop(self) -> None:
        stop(self.folder)

    def start(self) -> None:
        assert ensure_running(self.folder, durable=False).dsn == self.dsn

    def kill(self) -> None:
        """Kill the postmaster without a warning; its other processes notice and end."""
        os.kill(self.pid, signal.SIGKILL)

    def family(self) -> list[psutil.Process]:
        """Return the postmaster and all its processes."""
        postmaster = psutil.Process(self.pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def backends(self) -> list[psutil.Process]:
        """Return the processes that serve our programs' connections."""
        found = []
        for one in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                if "bindery bindery" in " ".join(one.cmdline()):
                    found.append(one)
        return found

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all of its processes from doing anything, as a machine without air does."""
        family = self.family()
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.suspend()
        try:
            yield
        finally:
            for one in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.resume()


@contextlib.contextmanager
def own_server() -> Iterator[OwnServer]:
    """Run a server until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="bindery-own-"))
    try:
        yield OwnServer(folder, ensure_running(folder, durable=False).dsn)
    finally:
        stop(folder)
        shutil.rmtree(folder, ignore_errors=True)
