"""`python -m tools.debian_postgres`: have Debian's PostgreSQL 15, which the migrations are tried on.

The embedded server is newer than most that people run. It is installed where it is missing, apt-get is there
and we are root; no server of the system is started. Elsewhere this says what to do and ends with 1, and those
tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.chromium import INSTALL, QUICK, UPDATE

PACKAGE: Final = "postgresql-15"
BINARIES: Final = Path("/usr/lib/postgresql/15/bin")
CLUSTERS: Final = Path("/etc/postgresql-common/createcluster.conf")
NO_CLUSTER: Final = "\n# By Bindery's tests, which start servers of their own.\ncreate_main_cluster = false\n"
ADVICE: Final = (
    f"Debian's PostgreSQL 15 is missing, so the migrations are tried on the embedded server alone.\n"
    f"Install it as root: `{' '.join((*INSTALL, PACKAGE))}`.\n"
)


def main() -> int:
    if not BINARIES.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing Debian's PostgreSQL 15 for the tests of the migrations\n")
        sys.stdout.flush()
        is_new = not CLUSTERS.exists()
        _run(UPDATE)
        _run((*INSTALL, *QUICK, "--no-remove", "postgresql-common"))
        if is_new and CLUSTERS.exists():
            with CLUSTERS.open("a") as settings:
                settings.write(NO_CLUSTER)
        _run((*INSTALL, *QUICK, "--no-remove", PACKAGE))
    if BINARIES.exists():
        return 0
    sys.stderr.write(ADVICE)
    return 1


def _run(command: tuple[str, ...]) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - fixed commands


if __name__ == "__main__":
    sys.exit(main())
