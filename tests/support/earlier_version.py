"""The program as it was at an earlier commit, for upgrades from what people may really run."""

import shutil
import subprocess
from pathlib import Path

from bindery.storage.revision import own_chain

ROOT = Path(__file__).parents[2]
PROGRAM = "src/bindery"


def before_the_newest_migration() -> str | None:
    """Return the last commit that lacks the newest migration, or nothing without the project's history."""
    migrations = f"{PROGRAM}/storage/migrations/versions/{own_chain().newest}_*.py"
    added = _git("log", "--diff-filter=A", "--format=%H", "--max-count=1", "--", migrations)
    parent = added and _git("rev-parse", "--verify", "--quiet", f"{added.decode().strip()}^")
    return parent.decode().strip() if parent else None


def unpacked(commit: str, folder: Path) -> dict[str, str]:
    """Unpack the program of a commit, and return the variables with which commands and servers run it."""
    archive = folder / "program.tar"
    archive.write_bytes(_git("archive", "--format=tar", commit, PROGRAM))
    # Debian's Python 3.11.2 does not know the filters of `tarfile`.
    subprocess.run(["tar", "-xf", str(archive), "-C", str(folder)], check=True)
    return {"PYTHONPATH": str(folder / "src")}


def _git(*arguments: str) -> bytes:
    """Return what Git says, and nothing where there is no Git, no history, or no such commit."""
    program = shutil.which("git")
    if program is None:
        return b""
    # A checkout may belong to somebody else than who runs the tests.
    command = [program, "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout
