"""Files and folders that no other account may read, whatever the umask says."""

import io
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
PASSABLE: Final = 0o011
"""What lets others through a folder to what they were given inside, without seeing what else is there."""
_OTHERS: Final = 0o077


def make_private_folder(path: Path) -> None:
    """Make a folder that only this account can enter; an existing one stays as it is."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_private(path: Path, content: str) -> None:
    with os.fdopen(_descriptor(path, os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write(content)


def open_private_log(path: Path) -> TextIO:
    """Open a file to append to that only this account can read; each write goes out at once.

    What a buffer kept from a full disk would be tried again, and fail again, with every line.
    """
    return io.TextIOWrapper(
        open(_descriptor(path, os.O_APPEND), "ab", buffering=0),
        encoding="utf-8",
        write_through=True,
    )


def close_to_others(path: Path, *, passable: bool = False) -> bool:
    """Close a file or folder to every other account; return whether that worked.

    Left alone are links, files that have gone away, and folders that are for everybody, as `/tmp` is.
    """
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return True
        if mode & stat.S_ISVTX:
            return False
        wanted = stat.S_IMODE(mode) & ~_OTHERS | (PASSABLE if passable else 0)
        if stat.S_IMODE(mode) != wanted:
            path.chmod(wanted)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


def is_open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & _OTHERS)


def close_folder(folder: Path, *, way_through: Path | None = None) -> Iterator[Path]:
    """Close a folder and what is directly in it, and return what could not be closed.

    A folder in it is closed and not gone through: what is inside cannot be reached any more. The folder
    `way_through` belongs to another account, which must be able to come to it.
    """
    if not close_to_others(folder, passable=way_through is not None):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if not close_to_others(entry, passable=entry == way_through):
            yield entry


def flush_to_disk(*paths: Path) -> None:
    """Flush files to disk; of a folder, the names in it."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _descriptor(path: Path, flag: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flag, PRIVATE_FILE)
    # The mode above is for a new file; one from before may be open to everybody.
    os.fchmod(descriptor, PRIVATE_FILE)
    return descriptor


def demo_secret(data_dir: Path) -> str:
    """Return the data folder's own secret, making it on first use, so that tokens outlive a restart."""
    path = data_dir / "secret_key"
    make_private_folder(data_dir)
    try:
        # Exclusive creation decides between two processes that start at once.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
            file.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text()
