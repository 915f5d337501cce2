"""`bindery verify --all` over a grown portfolio: how many quotes a second, and in how much memory.

A few companies go through the real service and are copied inside the database, as for growth; then the
command reads all of it, every document and upload included.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.growth.portfolio import portfolio
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop

QUOTES = 20_000
QUOTES_A_SECOND = 2_000
MOST_MB = 200


@dataclass(frozen=True)
class Verified:
    quotes: int
    seconds: float
    processor_s: float
    megabytes: float


async def measure(server: str, folder: Path) -> Verified:
    async with portfolio(server, folder, QUOTES) as service:
        quotes = await service.runtime.database.pool.fetchval("select count(*) from quotes")
        settings = service.runtime.settings
        environment = {
            **os.environ,
            "BINDERY_DATABASE_URL": settings.database_url,
            "BINDERY_DATA_DIR": str(settings.data_dir),
        }
        return await asyncio.to_thread(verify, quotes, environment)


def verify(quotes: int, environment: dict[str, str]) -> Verified:
    began = time.perf_counter()
    program = str(Path(sys.executable).with_name("bindery"))
    with subprocess.Popen([program, "verify", "--all"], env=environment) as verifying:
        _, status, used = os.wait4(verifying.pid, 0)
        verifying.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    assert verifying.returncode == 0, "a copy is as whole as what it was made of"
    return Verified(quotes, took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            verified = asyncio.run(measure(server.dsn, folder))
        finally:
            stop(folder / "postgres")
    table = Table("bindery verify --all", "Measured", "Goal")
    table.add_row("quotes", f"{verified.quotes:,}", "")
    table.add_row("seconds", f"{verified.seconds:.1f}", "")
    table.add_row("… of the processor", f"{verified.processor_s:.1f}", "")
    rate = verified.quotes / verified.seconds
    table.add_row("quotes a second", f"{rate:,.0f}", f"{QUOTES_A_SECOND:,}")
    table.add_row("memory, MB", f"{verified.megabytes:.0f}", f"{MOST_MB}")
    Console().print(table)


if __name__ == "__main__":
    main()
