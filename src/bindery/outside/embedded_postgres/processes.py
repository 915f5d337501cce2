"""The processes of a cluster, recognized by their working folder and not by their number alone."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_DEAD_STATES: Final = ("Z", "X")
_HAS_PROC: Final = _PROC.joinpath("self").exists()
_QUIT_AFTER_S: Final = 1.0
_KILL_AFTER_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Postmaster:
    pid: int
    port: int | None
    socket_folder: Path | None

    @property
    def socket_path(self) -> str | None:
        return None if self.socket_folder is None else f"{self.socket_folder}/.s.PGSQL.{self.port}"


def find_postmaster(data: Path) -> Postmaster | None:
    noted = _read_pid_file(data)
    return noted if noted is not None and is_running(data, noted.pid) else None


def is_running(data: Path, pid: int) -> bool:
    if not _HAS_PROC:
        return _is_alive(pid)
    # Containers often take CAP_SYS_PTRACE from root, and with it the look at other accounts' processes; a
    # PostgreSQL under the noted number is then taken for ours.
    return _works_in(data, pid) is not False


def end_left_behind(data: Path, first_seen: dict[int, float], now: float) -> dict[int, float]:
    """End processes that outlive a killed server: a busy backend would block the next start for hours.

    Returns when each was first seen; only what was seen a second ago is touched, so that a server just being
    started by another process, which has no `postmaster.pid` yet, is left alone.
    """
    if find_postmaster(data) is not None:
        return {}
    seen = {pid: first_seen.get(pid, now) for pid in _postgres_processes(data)}
    for pid, since in seen.items():
        if now - since >= _QUIT_AFTER_S:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if now - since >= _KILL_AFTER_S else signal.SIGQUIT)
    return seen


def _postgres_processes(data: Path) -> Iterator[int]:
    for entry in _PROC.iterdir() if _HAS_PROC else ():
        if entry.name.isdigit() and _works_in(data, int(entry.name)):
            yield int(entry.name)


def _works_in(data: Path, pid: int) -> bool | None:
    """Whether a PostgreSQL process has this cluster as working folder; None when we may not look.

    After a restart of the machine or container the number in `postmaster.pid` may belong to anything, and a
    killed server stays a zombie forever where nobody reaps: neither works in the cluster.
    """
    process = _PROC / str(pid)
    try:
        # `4711 (postgres) S …`; this much everybody may read.
        _, _, rest = process.joinpath("stat").read_text(encoding="utf-8", errors="replace").partition("(")
        name, _, state = rest.rpartition(") ")
        if name != "postgres" or state.startswith(_DEAD_STATES):
            return False
        return process.joinpath("cwd").samefile(data)
    except PermissionError:
        return None
    except OSError:
        return False


def _read_pid_file(data: Path) -> Postmaster | None:
    # Lines: pid, data folder, start time, port, socket folder, address, shared memory, state. The server
    # writes the later ones as it comes up.
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    # A server run by hand in single-user mode writes its number with a minus sign.
    pid = lines[0].removeprefix("-") if lines else ""
    if not pid.isdigit():
        return None
    has_socket = len(lines) > 4 and lines[3].isdigit() and lines[4] != ""  # noqa: PLR2004 - line five
    return Postmaster(
        pid=int(pid),
        port=int(lines[3]) if has_socket else None,
        socket_folder=Path(lines[4]) if has_socket else None,
    )


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as fault:
        return isinstance(fault, PermissionError)
    return True
