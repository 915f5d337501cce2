"""`python tools/chromium.py`: have Debian's Chromium, which the tests of the pages run in.

Its headless shell is the same engine without the windows around a page, and takes half the processor time.
It is installed where it is missing, apt-get is there and we are root. Elsewhere Chromium itself will do;
without either, this says what to do and ends with 1. Nothing else needs a browser, and those tests are
skipped without one.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

EXECUTABLE: Final = Path("/usr/bin/chromium")
SHELL: Final = Path("/usr/bin/chromium-headless-shell")
QUICK: Final = ("--option=Acquire::http::Timeout=20", "--option=Acquire::Retries=0")
"""A machine without the internet is told so at once."""
UPDATE: Final = ("apt-get", "update", "--quiet=2", *QUICK)
INSTALL: Final = ("apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends")
ADVICE: Final = (
    f"Chromium is missing, so the tests of the pages in tests/browser are skipped. Install the package\n"
    f"chromium-headless-shell as root (`{' '.join((*INSTALL, SHELL.name))}`),\n"
    f"or link any Chromium to {EXECUTABLE}.\n"
)


def browser(candidates: Sequence[Path] = (SHELL, EXECUTABLE)) -> Path | None:
    return next((path for path in candidates if path.exists()), None)


def main() -> int:
    if not SHELL.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing Chromium's headless shell for the tests of the pages\n")
        sys.stdout.flush()
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # Where the shell is newer than the Chromium that is there, both are renewed and neither is removed.
        for command in (UPDATE, (*INSTALL, *QUICK, "--no-remove", SHELL.name)):
            subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - fixed commands
    if browser():
        return 0
    sys.stderr.write(ADVICE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
