"""Faults of every kind under load, and a comparison of everything that was acknowledged.

`PYTHONPATH=tests python -m faults.lab [--minutes 30] [--faults 300] [--mode demo] [--seed N] [--keep]`:
prints the tables of `docs/reliability.md`, and ends with 1 where anything is not as promised. On failure, or
with `--keep`, the folder with logs, faults and acknowledgements stays.
"""

import argparse
import asyncio
import json
import math
import random
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from faults.lab.kinds import KINDS
from faults.lab.report import Limits, Report, markdown
from faults.lab.run import CLOCK_STEPS, Options, soak
from faults.lab.world import Mode

FAULTS_A_MINUTE = 10
CLUSTER_CLOCK_STEPS = 10
"""Fewer faults are done to a cluster in the same time, and renewals are not what is tried there."""


def read_options() -> tuple[bool, Options]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long the load lasts")
    parser.add_argument(
        "--faults", type=int, help=f"how many; without it {FAULTS_A_MINUTE} a minute, of a cluster one"
    )
    parser.add_argument("--mode", type=Mode, choices=list(Mode), default=Mode.EXTERNAL)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), help="without them, all of the mode")
    parser.add_argument("--patience", type=float, default=1.0, help="multiplies every limit of time")
    parser.add_argument("--keep", action="store_true", help="keep the folder in any case")
    parser.add_argument(
        "--longest", type=float, default=math.inf, help="minutes; then no fault begins any more"
    )
    asked = parser.parse_args()
    in_cluster = asked.mode is Mode.CLUSTER
    return asked.keep, Options(
        mode=asked.mode,
        minutes=asked.minutes,
        faults=asked.faults or int(asked.minutes * (1 if in_cluster else FAULTS_A_MINUTE)),
        seed=asked.seed,
        folder=Path(tempfile.mkdtemp(prefix="bindery-faults-")),
        kinds=asked.kinds or [name for name, kind in KINDS.items() if not in_cluster or kind.mend],
        limits=Limits(asked.patience),
        clock_steps=CLUSTER_CLOCK_STEPS if in_cluster else CLOCK_STEPS,
        longest_minutes=asked.longest,
    )


def write_down(report: Report, folder: Path) -> None:
    """Write down what was done, what was acknowledged and what was found."""
    (folder / "report.md").write_text(markdown(report) + "\n")
    everything = {
        "faults": [asdict(fault) for fault in report.faults],
        "findings": [asdict(finding) for finding in report.findings],
        "acknowledged": {
            name: [asdict(effect) for effect in effects] for name, effects in report.model.by_kind().items()
        },
        "events": report.found.events,
    }
    (folder / "everything.json").write_text(json.dumps(everything, indent=1, default=repr))


def main() -> None:
    keeps, options = read_options()
    console = Console()
    console.print(f"Seed {options.seed}, folder {options.folder}", highlight=False)
    with console.status("Starting…") as status:
        report = asyncio.run(soak(options, status.update))
    write_down(report, options.folder)
    console.print(markdown(report), markup=False, highlight=False, soft_wrap=True)
    if report.findings or keeps:
        console.print(f"\nLogs and what was acknowledged: {options.folder}", highlight=False)
    else:
        shutil.rmtree(options.folder)
    sys.exit(1 if report.findings else 0)


if __name__ == "__main__":
    main()
