"""`python tools/chromium.py`: have Debian's Chromium, which the tests of the pages run in.

It is installed where it is missing, apt-get is there and we are root. Elsewhere this says what to do and ends
with 1; nothing else needs a browser, and those tests are skipped without one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

EXECUTABLE: Final = Path("/usr/bin/chromium")
UPDATE: Final = ("apt-get", "update", "--quiet=2")
INSTALL: Final = ("apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends", "chromium")
ADVICE: Final = (
    f"Chromium is missing, so the tests of the pages in tests/browser are skipped. Install the package\n"
    f"chromium as root (`{' '.join(INSTALL)}`), or link any Chromium to {EXECUTABLE}.\n"
)


def main() -> int:
    """Install the browser if that is needed and possible; return 0 when it is there."""
    if EXECUTABLE.exists():
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing Chromium for the tests of the pages\n")
        sys.stdout.flush()
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (UPDATE, INSTALL):
            subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - fixed commands
    if EXECUTABLE.exists():
        return 0
    sys.stderr.write(ADVICE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
