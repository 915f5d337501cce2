"""Debian's PostgreSQL 15, nearly the oldest server that the service takes."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tools.debian_postgres import BINARIES

PACKAGE_ACCOUNT = "postgres"


class DebianPostgres:
    """A server of the package, on a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def dsn(self) -> str:
        return f"postgresql://bindery@/postgres?host={self.folder}"

    def run(self, program: str, *options: str) -> None:
        command = [f"{BINARIES / program}", f"--pgdata={self.folder / 'data'}", *options]
        subprocess.run(command, user=account(), cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        settings = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        log = f"--log={self.folder / 'log'}"
        self.run("pg_ctl", "start", "--wait", "--timeout=120", log, f"--options={settings}")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze every process of the server, and let them continue afterwards."""
        postmaster = psutil.Process(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]))
        processes = [postmaster, *postmaster.children()]
        for process in processes:
            process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def stop(self) -> None:
        self.run("pg_ctl", "stop", "--wait", "--mode=immediate")


def account() -> str | None:
    """Return the account that the package has brought: PostgreSQL refuses to run as root."""
    return PACKAGE_ACCOUNT if os.geteuid() == 0 else None


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    if not (BINARIES / "initdb").exists():
        pytest.skip("Debian's PostgreSQL 15 is not installed: see tools/debian_postgres.py")
    folder = Path(tempfile.mkdtemp(prefix="bindery-debian-"))
    if owner := account():
        shutil.chown(folder, owner)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def debian_postgres() -> Iterator[DebianPostgres]:
    """Run one until the block ends; skip the test where it is not installed."""
    with _folder() as folder:
        server = DebianPostgres(folder)
        server.run("initdb", "--auth=trust", "--username=bindery", "--encoding=UTF8", "--no-sync")
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):  # the test has stopped it
                server.stop()


@contextlib.contextmanager
def standby_of(primary: DebianPostgres) -> Iterator[DebianPostgres]:
    """Run a server that follows another one until the block ends."""
    with _folder() as folder:
        standby = DebianPostgres(folder)
        standby.run(
            "pg_basebackup", f"--host={primary.folder}", "--username=bindery", "--write-recovery-conf",
            "--checkpoint=fast", "--no-sync",
        )  # fmt: skip
        standby.start()
        try:
            yield standby
        finally:
            standby.stop()
