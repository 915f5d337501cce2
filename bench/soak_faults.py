"""Faults of every kind under load, and a comparison of everything that was acknowledged.

`python -m bench.soak_faults [--minutes 30] [--faults 300] [--mode external|demo] [--seed N] [--keep]`: prints
the tables of `docs/reliability.md`, and ends with 1 where anything is not as promised. On failure, or with
`--keep`, the folder with logs, faults and acknowledgements stays.
"""

import argparse
import asyncio
import json
import random
import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Self

from rich.console import Console

from bench.faults.judging import Limits
from bench.faults.kinds import KINDS
from bench.faults.report import Report, markdown
from bench.faults.run import Options, soak
from bench.faults.world import Mode

MINUTES = 30.0
FAULTS_A_MINUTE = 10
LINE_EVERY_S = 15.0


class Progress:
    """One line that changes on a terminal, and a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("Starting…")
        self._told_at = 0.0

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def tell(self, line: str) -> None:
        self._status.update(line)
        if not self._console.is_terminal and time.monotonic() - self._told_at >= LINE_EVERY_S:
            self._told_at = time.monotonic()
            self._console.print(line, highlight=False, soft_wrap=True)


def read_options() -> tuple[argparse.Namespace, Options]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long the load lasts")
    parser.add_argument("--faults", type=int, help=f"how many; without it {FAULTS_A_MINUTE} a minute")
    parser.add_argument("--mode", type=Mode, choices=list(Mode), default=Mode.EXTERNAL)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kinds", default="", help=f"some of: {', '.join(KINDS)}")
    parser.add_argument("--patience", type=float, default=1.0, help="multiplies every limit of time")
    parser.add_argument("--keep", action="store_true", help="keep the folder in any case")
    asked = parser.parse_args()
    kinds = [name for name in asked.kinds.split(",") if name]
    if unknown := [name for name in kinds if name not in KINDS]:
        parser.error(f"there is no kind {', '.join(unknown)}; there are {', '.join(KINDS)}")
    faults = asked.faults if asked.faults is not None else int(asked.minutes * FAULTS_A_MINUTE)
    command = f"python -m bench.soak_faults {shlex.join(sys.argv[1:])}".strip()
    if "--seed" not in command:
        command += f" --seed {asked.seed}"
    return asked, Options(
        mode=asked.mode,
        minutes=asked.minutes,
        faults=faults,
        seed=asked.seed,
        folder=Path(tempfile.mkdtemp(prefix="bindery-faults-")),
        command=command,
        kinds=kinds,
        limits=Limits(asked.patience),
    )


def keep(report: Report, folder: Path) -> None:
    """Write down what was acknowledged and what was found."""
    (folder / "report.md").write_text(markdown(report) + "\n")
    (folder / "findings.txt").write_text(
        "\n".join(f"{finding.kind}: {finding.what}" for finding in report.findings)
    )
    effects = [{"is": type(effect).__name__, **asdict(effect)} for effect in report.model.effects()]
    (folder / "model.json").write_text(json.dumps(effects, indent=1, default=repr))
    (folder / "events.json").write_text(json.dumps(report.found.events, indent=1))


def main() -> None:
    asked, options = read_options()
    console = Console()
    console.print(f"Seed {options.seed}, folder {options.folder}", highlight=False)
    with Progress(console) as progress:
        report = asyncio.run(soak(options, progress.tell))
    keep(report, options.folder)
    console.print(markdown(report), markup=False, highlight=False, soft_wrap=True)
    if report.findings or asked.keep:
        console.print(f"\nLogs and what was acknowledged: {options.folder}", highlight=False)
    else:
        shutil.rmtree(options.folder)
    sys.exit(1 if report.findings else 0)


if __name__ == "__main__":
    main()
