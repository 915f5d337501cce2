"""`python -m tools.pgbouncer`: have PgBouncer, which the tests put between the service and its database.

It is taken out of Debian's packages and put beside the environment's programs; nothing is installed on the
machine. Where it cannot be had this says what to do and ends with 1, and those tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.promtool import unpack

PACKAGES: Final = ("pgbouncer", "libc-ares2", "libevent-2.1-7")
OWN: Final = Path(sys.prefix) / "pgbouncer"
ADVICE: Final = (
    "PgBouncer is missing, so the tests through it are skipped. Install Debian's package pgbouncer.\n"
)


@dataclass(frozen=True, slots=True)
class Command:
    arguments: tuple[str, ...]
    environment: dict[str, str]


def pgbouncer() -> Command | None:
    found = OWN / "usr" / "sbin" / "pgbouncer"
    libraries = ":".join(map(str, OWN.glob("usr/lib/*-linux-gnu")))
    for program in filter(None, (found if found.exists() else None, shutil.which("pgbouncer"))):
        command = Command((str(program),), {**os.environ, "LD_LIBRARY_PATH": libraries})
        asked = subprocess.run(  # noqa: S603 - a fixed command
            [*command.arguments, "--version"], env=command.environment, capture_output=True, check=False
        )
        if asked.returncode == 0:
            return command
    return None


def main() -> int:
    if pgbouncer() is None and shutil.which("apt-get") and shutil.which("dpkg-deb"):
        sys.stdout.write("Getting PgBouncer for the tests of pooled connections\n")
        sys.stdout.flush()
        OWN.mkdir(exist_ok=True)
        unpack(OWN, *PACKAGES)
    if pgbouncer():
        return 0
    sys.stderr.write(ADVICE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
