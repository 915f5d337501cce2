"""One PostgreSQL for a whole test run, databases in it, and what else its processes share."""

import fcntl
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from bindery.outside.embedded_postgres import ensure_running, stop

T = TypeVar("T")

PREFIX = "bindery-tests-"
IN_MEMORY = Path("/dev/shm")
LARGE_MEMORY = 4 << 30
"""Many times what a run takes, which is half the memory of a machine of 8 GB; containers often have 64 MB."""


def shared_server() -> str:
    """Return the DSN of the run's server; the first worker to ask starts it."""
    folder = _folder()
    if not folder.exists():
        _clear_dead_runs()
    return ensure_running(folder, durable=False).dsn


def stop_shared_server() -> None:
    """End the run's server and remove its files; to be called once, by the controller."""
    _remove(_folder())


def once(name: str, make: Callable[[], T]) -> T:
    """Return what the first process of the run to ask has made; the others wait for it."""
    folder = _folder()
    with (folder / f"{name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / f"{name}.pickle"
        if not file.exists():
            file.write_bytes(pickle.dumps(make()))
        made: T = pickle.loads(file.read_bytes())
    return made


async def create_database(dsn: str, name: str, template: str | None = None) -> str:
    """Make a database on the server of `dsn`, perhaps as a copy of another one that nobody is using."""
    # In memory, copying files costs the server less than half of copying page by page, its default.
    copied = f' TEMPLATE "{template}" STRATEGY FILE_COPY' if template else ""
    await _execute(dsn, f'CREATE DATABASE "{name}"{copied}')
    return _with_database(dsn, name)


async def drop_database(dsn: str, name: str) -> None:
    """Remove a database, its connections with it."""
    await _execute(dsn, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn=_with_database(dsn, "postgres"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _with_database(dsn: str, name: str) -> str:
    # An empty host stays `//role@`, which urlunsplit keeps.
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


def _folder() -> Path:
    # The controller knows no run id of its own, but it is the parent of every xdist worker.
    controller = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    return _root() / f"{PREFIX}{controller}"


def _root() -> Path:
    """Return where the files of servers are: in memory where that is large, else among temporary files.

    A database is hundreds of files, and tests have theirs made and removed. In memory, that takes a third of
    the processor time.
    """
    # By its size and not by what is free of it: every process of a run must come to the same place.
    return IN_MEMORY if _size_of(IN_MEMORY) >= LARGE_MEMORY else Path(tempfile.gettempdir())


def _size_of(folder: Path) -> int:
    try:
        system = os.statvfs(folder)
    except OSError:  # no such folder, as on macOS
        return 0
    return system.f_blocks * system.f_frsize


def _clear_dead_runs() -> None:
    """End the servers of runs that were killed before they could."""
    for folder in _root().glob(f"{PREFIX}*"):
        controller = folder.name.removeprefix(PREFIX)
        if controller.isdigit() and not Path("/proc", controller).exists() and os.access(folder, os.W_OK):
            _remove(folder)


def _remove(folder: Path) -> None:
    if folder.exists():
        stop(folder)
        shutil.rmtree(folder, ignore_errors=True)
