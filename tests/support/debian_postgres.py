"""Debian's PostgreSQL 15, nearly the oldest server that the service takes."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.debian_postgres import BINARIES

PACKAGE_ACCOUNT = "postgres"


@contextlib.contextmanager
def debian_postgres() -> Iterator[str]:
    """Run one until the block ends, and give its address; skip the test where it is not installed."""
    if not (BINARIES / "initdb").exists():
        pytest.skip("Debian's PostgreSQL 15 is not installed: see tools/debian_postgres.py")
    folder = Path(tempfile.mkdtemp(prefix="bindery-debian-"))
    # PostgreSQL refuses to run as root; the package has brought an account for it.
    account = PACKAGE_ACCOUNT if os.geteuid() == 0 else None
    if account:
        shutil.chown(folder, account)

    def run(program: str, *options: str) -> None:
        command = [f"{BINARIES / program}", f"--pgdata={folder / 'data'}", *options]
        subprocess.run(command, user=account, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    try:
        run("initdb", "--auth=trust", "--username=bindery", "--encoding=UTF8", "--no-sync")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "start", "--wait", "--timeout=120", f"--log={folder / 'log'}", f"--options={settings}")
        try:
            yield f"postgresql://bindery@/postgres?host={folder}"
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate")
    finally:
        shutil.rmtree(folder)
