"""Records which lines and branches of the program a process runs.

A probe stands before each line and each branch, and records once that it ran, so that tests take about as
long as without it. The processes of the tests and the commands that they fork write their records. Processes
that tests start as people do, most of which they kill, are not watched.
"""

import atexit
import json
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Final

import slipcover

from tools.probed_code import NEVER_TAKEN_OUT, ProbedModules

FOLDER: Final = "COVERAGE_FOLDER"
"""The variable that names the folder to write to; without it nothing is watched."""
SOURCE: Final = Path(__file__).parents[1] / "src" / "bindery"
PROBED: Final = "probed"
"""Where in that folder the program is kept with its probes."""


class Watch:
    """Records this process; modules imported before it began are not seen."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._met = slipcover.Slipcover(branch=True, d_miss_threshold=NEVER_TAKEN_OUT)
        sys.meta_path.insert(0, ProbedModules(self._met, SOURCE, folder / PROBED))

    def write(self) -> None:
        """Write the records since the last time."""
        met, self._met.newly_seen = self._met.newly_seen, defaultdict(set)
        text = json.dumps({file: list(places) for file, places in met.items()})
        with tempfile.NamedTemporaryFile("w", dir=self._folder, suffix=".json", delete=False) as file:
            file.write(text)

    def write_in_the_end(self) -> None:
        """Write now, and again when this process or a fork of it ends."""
        self.write()
        atexit.register(self.write)


def start_watch() -> Watch | None:
    folder = os.environ.get(FOLDER)
    return Watch(Path(folder)) if folder else None
