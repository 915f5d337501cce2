"""Make a cluster, write its settings, start its server."""

import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from bindery.base.private_files import flush_to_disk
from bindery.outside.embedded_postgres.accounts import DATA, Launch
from bindery.outside.embedded_postgres.binaries import misconfigured
from bindery.outside.embedded_postgres.watcher import ROLE

PORT: Final = 5432
_UNFINISHED: Final = "data.new"
_START_LOG: Final = "start.log"
_SETTINGS: Final = "bindery.conf"
_LOCALES: Final = ("C.UTF-8", "C")
_CREATE_LIMIT_S: Final = 300
_LOG_LINES: Final = 8
# The kernel takes 107 bytes; `/.s.PGSQL.5432` is 14 of them.
_LONGEST_SOCKET_FOLDER: Final = 93
# A path that needs no quoting in PostgreSQL's list of folders nor in a DSN.
_PLAIN_PATH: Final = re.compile(r"/[A-Za-z0-9_./ -]+")
_SMALL_SHARED_MEMORY: Final = 256 * 1024 * 1024
_HELD_BY_THE_LAST: Final = re.compile(r"lock file .* already exists|shared memory block .* still in use")
_HELD_LIMIT_S: Final = 20.0
_HELD_PAUSE_S: Final = 0.25


def read_major(data: Path) -> int | None:
    try:
        return int((data / "PG_VERSION").read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        if data.is_dir() and any(data.iterdir()):
            raise misconfigured(f"{data} holds files, but not a PostgreSQL cluster") from None
        return None


def create_cluster(launch: Launch, *, lock: int, durable: bool) -> None:
    """Make the cluster next to its place and move it there whole, so that a half-made one is never used."""
    unfinished = launch.home / _UNFINISHED
    for locale in _LOCALES:
        if unfinished.exists():
            shutil.rmtree(unfinished)
        unfinished.mkdir(mode=0o700)
        launch.give(unfinished)
        made = launch.run(
            launch.binaries.program("initdb"),
            f"--pgdata={_UNFINISHED}",
            f"--username={ROLE}",
            "--auth=trust",
            "--encoding=UTF8",
            f"--locale={locale}",
            "--no-instructions",
            *(() if durable else ("--no-sync",)),
            lock=lock,
            limit_s=_CREATE_LIMIT_S,
        )
        if made.returncode == 0:
            break
    else:
        raise misconfigured(f"PostgreSQL could not make its files in {launch.home}", _last_lines(made.stdout))
    _write(launch, unfinished / "pg_hba.conf", "local all all trust\nlocal replication all trust\n")
    own_settings = (unfinished / "postgresql.conf").read_text(encoding="utf-8")
    _write(launch, unfinished / "postgresql.conf", f"{own_settings}\ninclude = '{_SETTINGS}'\n")
    unfinished.rename(launch.data)
    flush_to_disk(launch.home)


def start_server(launch: Launch, *, lock: int, durable: bool, limit_s: int) -> None:
    """Start the server and wait until it is ready; the caller holds the lock, so no other one lives."""
    launch.give(launch.data)
    socket_folder = _prepare_socket_folder(launch)
    _write(launch, launch.data / _SETTINGS, _settings(socket_folder, durable=durable))
    # Their numbers may by now belong to other processes, and PostgreSQL would take those for a server.
    for stale in (launch.data / "postmaster.pid", *socket_folder.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)
    held_until = time.monotonic() + _HELD_LIMIT_S
    while True:
        (launch.data / _START_LOG).unlink(missing_ok=True)
        started = launch.run(
            launch.binaries.program("pg_ctl"),
            "start",
            # Relative, because pg_ctl hands both to a shell between double quotes.
            f"--pgdata={DATA}",
            f"--log={DATA}/{_START_LOG}",
            "--wait",
            f"--timeout={limit_s}",
            "--silent",
            lock=lock,
            limit_s=limit_s + 30,
        )
        if started.returncode == 0:
            return
        log = read_log(launch.data) or _last_lines(started.stdout)
        if not _HELD_BY_THE_LAST.search(log) or time.monotonic() >= held_until:
            with suppress(OSError):
                socket_folder.rmdir()
            raise misconfigured(f"The embedded PostgreSQL in {launch.data} did not start", log)
        time.sleep(_HELD_PAUSE_S)


def read_log(data: Path) -> str:
    logs = [path for path in (data / _START_LOG, *data.glob("log/*.log")) if path.is_file()]
    if not logs:
        return ""
    newest = max(logs, key=lambda path: path.stat().st_mtime_ns)
    with newest.open("rb") as log:
        log.seek(max(0, newest.stat().st_size - 8_192))
        return _last_lines(log.read().decode(errors="replace"))


def _last_lines(text: str) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-_LOG_LINES:])


def _settings(socket_folder: Path, *, durable: bool) -> str:
    lines = [
        "# Written by Bindery at every start. Your own settings go into postgresql.conf, after the include.",
        "listen_addresses = ''",
        f"port = {PORT}",
        f"unix_socket_directories = '{socket_folder}'",
        "unix_socket_permissions = 0700",
        "max_connections = 200",
        "shared_buffers = 256MB",
        # Four times as much made a crash recovery of 21 seconds.
        "max_wal_size = 1GB",
        "jit = off",
        # Without these a commit still survives the server's processes, only not the machine.
        f"fsync = {'on' if durable else 'off'}",
        f"full_page_writes = {'on' if durable else 'off'}",
        "synchronous_commit = on",
        "timezone = 'UTC'",
        "log_timezone = 'UTC'",
        # A file for each day of the week, emptied when its day comes round.
        "logging_collector = on",
        "log_directory = 'log'",
        "log_filename = 'postgresql-%a.log'",
        "log_rotation_age = 1d",
        "log_rotation_size = 0",
        "log_truncate_on_rotation = on",
        "log_line_prefix = '%m [%p] '",
        "log_checkpoints = off",
    ]
    if _is_shared_memory_small():
        # Containers often have 64 MB in /dev/shm, which a parallel query can exceed.
        lines.append("dynamic_shared_memory_type = mmap")
    return "\n".join(lines) + "\n"


def _is_shared_memory_small() -> bool:
    try:
        room = os.statvfs("/dev/shm")  # noqa: S108 - only asked for its size
    except OSError:
        # No such folder, as on macOS: initdb has tried out what works.
        return False
    return room.f_frsize * room.f_blocks < _SMALL_SHARED_MEMORY


def _prepare_socket_folder(launch: Launch) -> Path:
    """Make the folder of the socket, which is all that guards the database, and check that it is ours."""
    folder = _socket_folder_for(launch)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), launch.uid}:
        raise misconfigured(
            f"{folder}, the folder of the embedded database's socket, belongs to somebody else"
        )
    folder.chmod(0o700)
    launch.give(folder)
    return folder


def _socket_folder_for(launch: Launch) -> Path:
    name = f"bindery-{hashlib.sha256(os.fsencode(launch.home)).hexdigest()[:16]}"
    temporary = (Path(tempfile.gettempdir(), name), Path("/tmp", name))  # noqa: S108 - guarded by its caller
    for folder in (launch.home / "socket", *temporary):
        path = str(folder)
        if len(os.fsencode(path)) <= _LONGEST_SOCKET_FOLDER and _PLAIN_PATH.fullmatch(path):
            return folder
    return temporary[-1]


def _write(launch: Launch, path: Path, text: str) -> None:
    """Replace a file of the server's, whole or not at all."""
    unfinished = path.with_name(f"{path.name}.new")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fchmod(file.fileno(), 0o600)
        os.fchown(file.fileno(), launch.uid, launch.gid)
        os.fsync(file.fileno())
    unfinished.replace(path)
