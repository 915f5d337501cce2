"""End a server that nobody has used for a while, or whose folder is gone.

This is a program of its own, started with each server, because the server is to end even where all processes
that used it were killed. It imports next to nothing: it takes a few megabytes and wakes up twice a minute.

Every process of ours that uses a server holds a shared lock on a file in its folder. Other programs, such as
`psql`, are seen by their connections. The lock is held exclusively from the look for users to the end of the
server, so that a process that comes in between waits, and then starts the server again.
"""

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator

ROLE = "bindery"
LOOKS_EVERY_S = 30.0
WATCHER_LOCK = "watcher.lock"
USERS_LOCK = "users.lock"
_LAST_WATCHER_LIMIT_S = 10.0
_ANSWER_LIMIT_S = 10.0
_END_LIMIT_S = 60.0
_PROTOCOL = 196_608
_LOOK = """
select (select count(*) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()),
       (select sum(sessions) from pg_stat_database where datname <> 'postgres')
"""


def takes_lock(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def alone(file: "str | os.PathLike[str]", *, folder: int | None = None) -> Iterator[bool]:
    """Keep users out for the block by locking their file; yield False if there are any."""
    descriptor = os.open(file, os.O_RDWR, dir_fd=folder)
    try:
        yield takes_lock(descriptor)
    finally:
        os.close(descriptor)


def look(socket_path: str) -> tuple[int, int] | None:
    """Return how many clients a server has and how many it has ever had; None where it does not answer."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_ANSWER_LIMIT_S)
            connection.connect(socket_path)
            hello = f"user\0{ROLE}\0database\0postgres\0\0".encode()
            connection.sendall(struct.pack("!ii", len(hello) + 8, _PROTOCOL) + hello)
            with connection.makefile("rb") as answers:
                _row(answers.read)
                question = f"{_LOOK}\0".encode()
                connection.sendall(struct.pack("!ci", b"Q", len(question) + 4) + question)
                clients, sessions = _row(answers.read)
                return clients, sessions
    except (OSError, ValueError, struct.error):
        return None


def is_unused(socket_path: str) -> bool:
    found = look(socket_path)
    return found is not None and found[0] == 0


def _row(read: Callable[[int], bytes]) -> list[int]:
    """Read the server's messages until it is ready for the next question; return the numbers in them."""
    numbers: list[int] = []
    while True:
        kind, length = struct.unpack("!ci", read(5))
        body = read(length - 4)
        if kind == b"E":
            raise ValueError(body)
        if kind == b"Z":
            return numbers
        if kind == b"D":
            place = 2
            for _ in range(struct.unpack_from("!h", body)[0]):
                (size,) = struct.unpack_from("!i", body, place)
                numbers.append(int(body[place + 4 : place + 4 + size]))
                place += 4 + size


class _Server:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        # Where the system has it, a descriptor tells of the end at once, and is never another process.
        self._descriptor = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def ends_within(self, seconds: float) -> bool:
        if self._descriptor is not None:
            return bool(select.select([self._descriptor], [], [], seconds)[0])
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                os.kill(self._pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(min(1.0, seconds))
        return False

    def end(self, *asks: signal.Signals) -> None:
        for ask in asks:
            if self.ends_within(0):
                return
            os.kill(self._pid, ask)
            if self.ends_within(_END_LIMIT_S):
                return


def watch(folder: int, server: _Server, socket_path: str, limit_s: float) -> None:
    """Watch until the server ends, by itself or because nobody has used it for that long."""
    seen: int | None = None
    quiet_since = time.monotonic()
    while not server.ends_within(min(LOOKS_EVERY_S, limit_s / 4)):
        if _is_gone(folder):
            # At once, since it has nowhere to write to.
            server.end(signal.SIGQUIT)
            continue
        with contextlib.suppress(FileNotFoundError), alone(USERS_LOCK, folder=folder) as is_alone:
            found = look(socket_path) if is_alone else None
            now = time.monotonic()
            if found is None or found[0] or found[1] != seen:
                quiet_since, seen = now, found and found[1]
            elif now - quiet_since >= limit_s:
                server.end(signal.SIGINT, signal.SIGQUIT)
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.dirname(socket_path))  # noqa: PTH106, PTH120 - no pathlib here


def _is_gone(folder: int) -> bool:
    """Whether the server's files were removed; moved ones are found by the descriptor of their folder."""
    try:
        for name in (USERS_LOCK, "data/postmaster.pid"):
            os.stat(name, dir_fd=folder)
    except OSError as fault:
        return isinstance(fault, FileNotFoundError)
    return False


def main() -> None:
    """Watch in the background, after the watcher of the server before, if that is still there."""
    home, pid, socket_path, limit_s = sys.argv[1:]
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    server = _Server(int(pid))
    if os.fork():
        return
    os.chdir("/")
    lock = os.open(WATCHER_LOCK, os.O_RDWR | os.O_CREAT, 0o600, dir_fd=folder)
    until = time.monotonic() + _LAST_WATCHER_LIMIT_S
    while not takes_lock(lock):
        if time.monotonic() > until:
            return
        time.sleep(0.1)
    watch(folder, server, socket_path, float(limit_s))


if __name__ == "__main__":
    main()
