"""`COVERAGE_FOLDER=… python -m tools.measure_coverage`: print how much of the program the tests cover.

The folder holds what `make test` and `make test-long` wrote there; neither covers everything alone.
"""

import json
import os
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import slipcover

from tools.coverage_watch import FOLDER, PROBED, SOURCE
from tools.probed_code import probed_code

WANTED: Final = 95.0
"""Of all files together, and of each file without a reason: what is below is listed, and fails."""
SWING: Final = 3.0
"""How far a single file may be below before it fails: coverage differs a little each time."""
TOO_LITTLE: Final = 3
"""The exit code of tests that pass but cover too little."""
REASONS: Final = Path(__file__).with_name("coverage_reasons.toml")
NOT_COUNTED: Final = (r"@overload", r"raise NotImplementedError", r"^\s+\.\.\.$", r"^def downgrade\b")
"""What only types and tools look at; migrations are not undone."""


@dataclass(frozen=True, order=True)
class FileCoverage:
    """How many places of a file are covered, of how many; a place is a line or a branch."""

    percent: float
    file: str
    covered: int
    places: int
    missed: tuple[str, ...]
    """Lines, and branches as `from->to`."""


def measure_coverage(folder: Path) -> int:
    """Print how much was covered and return the exit code."""
    files = coverage_of(folder)
    percent = percent_of(sum(file.covered for file in files), sum(file.places for file in files))
    reasons = tomllib.loads(REASONS.read_text())
    sys.stdout.write(report(files, percent, reasons))
    return judge(percent, unexplained(files, reasons))


def judge(percent: float, unexplained_files: Sequence[FileCoverage]) -> int:
    return TOO_LITTLE if percent < WANTED or unexplained_files else 0


def unexplained(files: Sequence[FileCoverage], reasons: dict[str, str]) -> list[FileCoverage]:
    """Return the files too far below what is wanted that no reason is given for."""
    least = WANTED - SWING
    return [file for file in files if file.percent < least and _reason(file.file, reasons) is None]


def coverage_of(folder: Path) -> list[FileCoverage]:
    """Add up what was written into a folder, the least covered file first."""
    everything = slipcover.Slipcover(branch=True, exclude_also=list(NOT_COUNTED))
    for source in SOURCE.rglob("*.py"):
        kept = probed_code(source, folder / PROBED)
        everything.code_lines[str(source)].update(kept.lines)
        everything.code_branches[str(source)].update(kept.branches)
    for written in folder.glob("*.json"):
        for file, places in json.loads(written.read_bytes()).items():
            everything.all_seen[file].update(tuple(at) if isinstance(at, list) else at for at in places)
    return sorted(_coverage(file, found) for file, found in everything.get_coverage()["files"].items())


def _coverage(file: str, found: dict[str, Any]) -> FileCoverage:
    impossible = _impossible_lines(Path(file).read_text("utf-8"))
    lines = [line for line in found["missing_lines"] if line not in impossible]
    branches = [branch for branch in found["missing_branches"] if branch[1] not in impossible]
    covered = len(found["executed_lines"]) + len(found["executed_branches"])
    missed = (*map(str, lines), *("{}->{}".format(*branch) for branch in branches))
    places = covered + len(missed)
    return FileCoverage(
        percent_of(covered, places), str(Path(file).resolve().relative_to(SOURCE)), covered, places, missed
    )


def _impossible_lines(source: str) -> set[int]:
    """Return the lines of cases that the type checker proves impossible: `assert_never` and its `case`."""
    lines = source.splitlines()
    return {
        at
        for number, line in enumerate(lines, start=1)
        if line.strip().startswith("assert_never(")
        for at in (number, number - 1)
    }


def percent_of(covered: int, places: int) -> float:
    """Return what part of all places is covered; all of nothing."""
    return 100 * covered / places if places else 100.0


def report(files: Sequence[FileCoverage], percent: float, reasons: dict[str, str]) -> str:
    """Write how much is covered, and the files below what is wanted, each with its reason."""
    below = [file for file in files if file.percent < WANTED]
    wanted = f"{WANTED:.0f} % wanted; files below: {len(below)} of {len(files)}"
    lines = [f"\nThe tests cover {percent:.1f} % of src/, by line and by branch ({wanted})."]
    for file in below:
        lines.append(f"  {file.percent:5.1f} %  {file.file}: {_reason(file.file, reasons) or NO_REASON}")
        lines.append(f"           {', '.join(file.missed[:MOST_SHOWN])}{_more(file)}")
    if left := unexplained(files, reasons):
        lines += [f"\nWithout a reason: {', '.join(file.file for file in left)}.", HOW_TO_MEND]
    return "\n".join(lines) + "\n"


MOST_SHOWN: Final = 12


NO_REASON: Final = "no reason is given"
HOW_TO_MEND: Final = (
    "Write a test for code that a user can run, remove code that nobody can, or give the reason in "
    "tools/coverage_reasons.toml."
)


def _reason(file: str, reasons: dict[str, str]) -> str | None:
    return next((why for pattern, why in reasons.items() if fnmatchcase(file, pattern)), None)


def _more(file: FileCoverage) -> str:
    return f" and {len(file.missed) - MOST_SHOWN} more" if len(file.missed) > MOST_SHOWN else ""


if __name__ == "__main__":
    sys.exit(measure_coverage(Path(os.environ[FOLDER])))
