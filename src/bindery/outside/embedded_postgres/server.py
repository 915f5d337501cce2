"""Start, find and stop the embedded server of a data folder.

The server outlives the process that started it: every API, worker and command-line process of the folder
shares it. It ends when the demo ends and nobody else uses it, or by itself a while after its last user.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from bindery.base.private_files import make_private_folder
from bindery.outside.embedded_postgres import handshake, processes, watcher
from bindery.outside.embedded_postgres.accounts import ALL_STRATEGIES, DATA, Strategy, choose_launch
from bindery.outside.embedded_postgres.binaries import Machine, find_binaries, misconfigured
from bindery.outside.embedded_postgres.cluster import create_cluster, read_log, read_major, start_server

# Recovery after a crash may take its time; a start is not given up before.
START_LIMIT_S: Final = 300
FAST_STOP_LIMIT_S: Final = 60
IMMEDIATE_STOP_LIMIT_S: Final = 30
IDLE_LIMIT_S: Final = 600.0
_LEAVING_LIMIT_S: Final = 3.0
_WATCHER_START_LIMIT_S: Final = 60.0
_LAST_WORDS_LIMIT_S: Final = 2.0
_PAUSE_S: Final = 0.02

_held: Final[dict[Path, int]] = {}
"""Descriptors whose shared lock marks this process as a user of a server, by its home."""


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    dsn: str
    pid: int
    socket_folder: Path
    data_folder: Path


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The server of a data folder; `version` is that of a server that answers, else of the files."""

    running: bool
    version: str | None
    data_folder: Path
    pid: int | None = None
    socket_folder: Path | None = None


def ensure_running(
    folder: Path,
    *,
    durable: bool = True,
    around: Machine | None = None,
    strategies: Sequence[Strategy] = ALL_STRATEGIES,
    idle_limit_s: float = IDLE_LIMIT_S,
) -> EmbeddedServer:
    """Attach to the folder's server, or start it, making its cluster and database where they are missing.

    The server stays as long as this process lives, unless it is stopped.

    `durable=False` is for tests: a server started so is faster and may lose everything with the machine.
    So are `around` and `strategies`, which stand for other machines than this one, and `idle_limit_s`.

    Raises:
        Misconfigured: there can be no embedded server here.
    """
    home = _home_of(folder)
    try:
        make_private_folder(home.parent)
        make_private_folder(home)
        _hold(home)
        server = _ensure_running(home, durable, around, strategies)
        _have_watched(home, idle_limit_s)
    except (OSError, subprocess.TimeoutExpired, asyncpg.PostgresError) as fault:
        raise misconfigured(f"The embedded PostgreSQL cannot use {home} ({fault})") from fault
    return server


def status(folder: Path) -> ServerStatus:
    data = _home_of(folder) / DATA
    try:
        server = processes.find_postmaster(data)
        major = read_major(data)
    except OSError as fault:
        raise misconfigured(f"The embedded PostgreSQL cannot use {data} ({fault})") from fault
    version = None if major is None else str(major)
    if server is None:
        return ServerStatus(running=False, version=version, data_folder=data.resolve())
    if server.socket_folder is not None and server.port is not None:
        version = handshake.ask_version(server.socket_folder, server.port) or version
    return ServerStatus(
        running=True,
        version=version,
        data_folder=data.resolve(),
        pid=server.pid,
        socket_folder=server.socket_folder,
    )


def has_died(folder: Path) -> bool:
    data = _home_of(folder) / DATA
    return data.exists() and processes.find_postmaster(data) is None


def stop(folder: Path) -> bool:
    """Stop the folder's server and close its clients' connections; return whether it was running."""
    data = _home_of(folder) / DATA
    _let_go(data.parent)
    try:
        server = processes.find_postmaster(data)
        if server is None:
            return False
        for ask, limit_s in ((signal.SIGINT, FAST_STOP_LIMIT_S), (signal.SIGQUIT, IMMEDIATE_STOP_LIMIT_S)):
            with suppress(ProcessLookupError):
                os.kill(server.pid, ask)
            if _wait_for_end(data, server.pid, limit_s):
                _remove_socket_folder(data.parent, server)
                return True
    except OSError as fault:
        raise misconfigured(f"The embedded PostgreSQL in {data} cannot be stopped ({fault})") from fault
    raise misconfigured(
        f"The embedded PostgreSQL in {data} (process {server.pid}) does not stop", read_log(data)
    )


def stop_unless_used(folder: Path) -> bool:
    """Stop the folder's server unless another process uses it; return False if one does."""
    home = _home_of(folder)
    _let_go(home)
    # The server takes a moment to notice that a connection of ours is closed.
    give_up_at = time.monotonic() + _LEAVING_LIMIT_S
    while time.monotonic() < give_up_at:
        server = processes.find_postmaster(home / DATA)
        # A folder that was removed in the meantime has none; the watcher ends what is left of it.
        if server is None or server.socket_path is None:
            return True
        with watcher.alone(home / watcher.USERS_LOCK) as is_alone:
            if is_alone and watcher.is_unused(server.socket_path):
                return stop(folder)
        time.sleep(_PAUSE_S)
    return False


def home_of_another_account(folder: Path) -> Path | None:
    """Return the home of a server that runs as another account than the folder's; None where none does."""
    home = folder / "postgres"
    data = home / DATA
    if not data.is_dir() or data.is_symlink() or data.stat().st_uid == folder.stat().st_uid:
        return None
    return home


def _home_of(folder: Path) -> Path:
    return folder.resolve() / "postgres"


def _hold(home: Path) -> None:
    """Mark this process as a user of the server, waiting while another process is stopping it."""
    descriptor = os.open(home / watcher.USERS_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    give_up_at = time.monotonic() + FAST_STOP_LIMIT_S + IMMEDIATE_STOP_LIMIT_S
    while not watcher.takes_lock(descriptor, fcntl.LOCK_SH):
        if time.monotonic() >= give_up_at:
            os.close(descriptor)
            raise misconfigured(f"The embedded PostgreSQL in {home} is being stopped, which does not end")
        time.sleep(_PAUSE_S)
    # Opened anew each time: the folder may have been removed and made again since.
    _let_go(home)
    _held[home] = descriptor


def _let_go(home: Path) -> None:
    descriptor = _held.pop(home, None)
    if descriptor is not None:
        os.close(descriptor)


def _have_watched(home: Path, idle_limit_s: float) -> None:
    descriptor = os.open(home / watcher.WATCHER_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        server = processes.find_postmaster(home / DATA) if watcher.takes_lock(descriptor) else None
    finally:
        os.close(descriptor)
    if server is None or server.socket_path is None:
        return
    # Without a watcher the server runs until it is stopped, which is no reason not to use it.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - our own file, arguments we wrote, no shell
            [
                *(sys.executable, "-I", "-S", watcher.__file__),
                *(str(home), str(server.pid), server.socket_path, str(idle_limit_s)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=_WATCHER_START_LIMIT_S,
            check=False,
        )


def _ensure_running(
    home: Path, durable: bool, around: Machine | None, strategies: Sequence[Strategy]
) -> EmbeddedServer:
    data = home / DATA
    give_up_at = time.monotonic() + START_LIMIT_S
    left_behind: dict[int, float] = {}
    while time.monotonic() < give_up_at:
        server = _attach(data)
        if server is not None:
            return server
        with _start_lock(home) as lock:
            if lock is not None:
                _start(home, lock, durable, around or Machine(), strategies)
                continue
        left_behind = processes.end_left_behind(data, left_behind, time.monotonic())
        time.sleep(_PAUSE_S)
    raise misconfigured(f"The embedded PostgreSQL in {data} does not answer", read_log(data))


def _attach(data: Path) -> EmbeddedServer | None:
    server = processes.find_postmaster(data)
    if server is None or server.socket_folder is None or server.port is None:
        return None
    if not handshake.is_open(server.socket_folder, server.port):
        return None
    dsn = handshake.make_dsn(server.socket_folder, server.port)
    return EmbeddedServer(dsn, server.pid, server.socket_folder, data.resolve())


def _start(home: Path, lock: int, durable: bool, around: Machine, strategies: Sequence[Strategy]) -> None:
    data = home / DATA
    if processes.find_postmaster(data) is not None:
        # Started by hand, without our lock: it is ours to use once it is ready.
        time.sleep(_PAUSE_S)
        return
    binaries = find_binaries(around, major=read_major(data))
    launch = choose_launch(home, binaries, around, strategies)
    if read_major(launch.data) is None:
        create_cluster(launch, lock=lock, durable=durable)
    if launch.home != home and not data.is_symlink():
        data.symlink_to(launch.data)
    if processes.find_postmaster(data) is not None:
        # In a place of its own, a server outlives the removal of the folder that led to it.
        return
    start_server(launch, lock=lock, durable=durable, limit_s=START_LIMIT_S)


@contextmanager
def _start_lock(home: Path) -> Iterator[int | None]:
    """Lock the start of a server; None while a server of this folder lives or is being started.

    All processes of the server inherit the descriptor, and the lock ends with the last of them. That is why
    it is closed here and never unlocked.
    """
    descriptor = os.open(home / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if watcher.takes_lock(descriptor) else None
    finally:
        os.close(descriptor)


def _remove_socket_folder(home: Path, server: processes.Postmaster) -> None:
    """Leave no empty folder among the temporary files, unless a next server already needs it."""
    give_up_at = time.monotonic() + _LAST_WORDS_LIMIT_S
    while server.socket_folder is not None and time.monotonic() < give_up_at:
        with _start_lock(home) as lock:
            if lock is not None:
                with suppress(OSError):
                    server.socket_folder.rmdir()
                return
        if processes.find_postmaster(home / DATA) is not None:
            return
        # The server's logger ends a moment after it.
        time.sleep(_PAUSE_S)


def _wait_for_end(data: Path, pid: int, limit_s: float) -> bool:
    give_up_at = time.monotonic() + limit_s
    while time.monotonic() < give_up_at:
        if not processes.is_running(data, pid):
            return True
        time.sleep(_PAUSE_S)
    return False
