"""`python -m tools.cluster`: have Debian's packages of which `deploy/cluster` makes a cluster for the tests.

They are installed where they are missing, apt-get is there and we are root, and none of their services is
started. Elsewhere this says what to do and ends with 1, and those tests are skipped.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.chromium import INSTALL, QUICK, UPDATE
from tools.debian_postgres import BINARIES, PACKAGE

ACCOUNT: Final = "postgres"
"""PostgreSQL does not run as root, so that root runs it as this one, which comes with its package."""
PROGRAMS: Final = {
    "etcd": "etcd-server",
    "patroni": "patroni",
    "haproxy": "haproxy",
    "pgbackrest": "pgbackrest",
    "curl": "curl",
}
PATRONI: Final = Path(".venv/patroni")
"""A Patroni as `deploy/cluster` takes it, which needs nothing that Debian's older one does not bring."""
FIREWALL: Final = "iptables"
"""With it, as root, a run of faults also swallows the packets of a node; the rest does without."""
POLICY: Final = Path("/usr/sbin/policy-rc.d")
ADVICE: Final = (
    f"The tests of the database cluster are skipped: {{missing}} is missing. Install as root:\n"
    f"`{' '.join((*INSTALL, PACKAGE, *PROGRAMS.values()))}`, then `make setup-postgres`.\n"
)


def missing() -> list[str]:
    found = [name for name in PROGRAMS if shutil.which(name) is None]
    if not (PATRONI / "patroni").is_dir():
        found.append(str(PATRONI))
    return found if BINARIES.exists() else [PACKAGE, *found]


def main() -> int:
    wanted = missing() or not shutil.which(FIREWALL)
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing what the tests of the database cluster need\n")
        sys.stdout.flush()
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        with no_service_started():
            for command in (UPDATE, (*INSTALL, *QUICK, "--no-remove", *PROGRAMS.values(), FIREWALL)):
                subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - fixed commands
    if not (PATRONI / "patroni").is_dir():
        locked = ("--no-deps", "--require-hashes", "--requirement", "requirements/cluster.txt")
        install = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PATRONI), *locked)
        subprocess.run(install, check=False)  # noqa: S603 - a fixed command
    if not (names := missing()):
        return 0
    sys.stderr.write(ADVICE.format(missing=", ".join(names)))
    return 1


@contextlib.contextmanager
def no_service_started() -> Iterator[None]:
    """Have Debian's packages start nothing, by the file that they ask."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


if __name__ == "__main__":
    sys.exit(main())
