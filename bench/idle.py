"""A demo that nobody uses: its share of a core, its memory, and how often it asks PostgreSQL."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import httpx
import psutil
from rich.console import Console
from rich.table import Table

from bench.intake import free_port, wait_until_up
from bindery.outside import embedded_postgres
from bindery.outside.embedded_postgres.processes import find_postmaster

SETTLES_S = 20.0
"""PostgreSQL counts what a connection did up to ten seconds late."""
SECONDS = 120.0
"""Two rounds of what the timetable does every minute."""
GOAL_SHARE = 0.01
GOAL_MB = 300
GOAL_ASKED = 1.0


@dataclass(frozen=True, slots=True)
class Idle:
    share: float
    megabytes: float
    asked: float
    """Transactions a second; a statement alone is one too."""


def _processes(demo: int, postmaster: int) -> Iterator[psutil.Process]:
    for root in (psutil.Process(demo), psutil.Process(postmaster)):
        yield root
        yield from root.children(recursive=True)


def _cpu_s(processes: Iterator[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        times = process.cpu_times()
        # Of children that have ended since, as those of autovacuum do.
        total += times.user + times.system + times.children_user + times.children_system
    return total


async def _transactions(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        statement = "select xact_commit + xact_rollback from pg_stat_database where datname = 'bindery'"
        count: int = await connection.fetchval(statement)
        return count
    finally:
        await connection.close()


async def measure(seconds: float = SECONDS) -> Idle:
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        demo = subprocess.Popen(  # noqa: ASYNC220 - it starts at once, and nothing else runs yet
            [str(Path(sys.executable).with_name("bindery")), "demo", "--data", name, "--port", str(port)],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "BINDERY_ENVIRONMENT": "demo"},
        )
        try:
            await wait_until_up(port)
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
                while (await http.get("/readyz")).status_code != httpx.codes.OK:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.1)
            await asyncio.sleep(SETTLES_S)
            return await _watched(demo.pid, Path(name), seconds)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait(timeout=30)
            embedded_postgres.stop(Path(name))


async def _watched(demo: int, folder: Path, seconds: float) -> Idle:
    dsn = embedded_postgres.ensure_running(folder).dsn
    postmaster = find_postmaster(folder / "postgres" / "data")
    assert postmaster is not None, "it answers"
    asked, started = await _transactions(dsn), time.monotonic()
    used = _cpu_s(_processes(demo, postmaster.pid))
    await asyncio.sleep(seconds)
    used = _cpu_s(_processes(demo, postmaster.pid)) - used
    passed = time.monotonic() - started
    memory = sum(process.memory_full_info().pss for process in _processes(demo, postmaster.pid))
    return Idle(used / passed, memory / 1e6, (await _transactions(dsn) - asked) / passed)


def main() -> None:
    found = asyncio.run(measure())
    table = Table(f"a demo that nobody uses, {SECONDS:.0f} s", "", "goal", box=None)
    table.add_row("share of a core", f"{found.share:.2%}", f"under {GOAL_SHARE:.0%}")
    table.add_row("memory, its database included", f"{found.megabytes:.0f} MB", f"under {GOAL_MB} MB")
    table.add_row("transactions a second", f"{found.asked:.2f}", f"at most {GOAL_ASKED:.0f}")
    Console().print(table)
