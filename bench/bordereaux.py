"""`bindery bordereau make` of a month with a hundred thousand transactions, in all three formats.

A few policies go through the real service and are copied inside the database, as for `python -m bench book`;
then the command writes the month.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg
from rich.console import Console
from rich.table import Table

from bench.book import copy_policies
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop
from bindery.storage.migrate import migrate
from support.book import binder_file, import_file, issued
from support.postgres import create_database
from support.service import serving

ROWS = int(os.environ.get("BORDEREAU_ROWS", "100000"))
GOAL_S, GOAL_MB = 10.0, 300.0


async def _fill(dsn: str, folder: Path) -> str:
    await migrate(dsn)
    async with serving(dsn, folder, pool_size=4) as service:
        wide = binder_file(inception="2020-01-01", expiry="2099-01-01", premium_limit=10**12)
        assert await import_file(service, wide) == []
        for state in ("CA", "PA", "ID", "OR"):
            await issued(service, state)
        month = f"{await service.runtime.database.today():%Y-%m}"
        await service.post("/v2/demo/clock", {"advance_days": 40})
    connection = await asyncpg.connect(dsn)
    try:
        await copy_policies(connection, ROWS // 4)
    finally:
        await connection.close()
    return month


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            dsn = asyncio.run(create_database(server.dsn, "bordereaux"))
            month = asyncio.run(_fill(dsn, folder))
            environment = {**os.environ, "BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": name}
            out = folder / "out"
            command = [str(Path(sys.executable).with_name("bindery")), "bordereau", "make"]
            command += ["--binder", "SAMPLE-2027", "--month", month, "--out", str(out)]
            command += ["--because", "A measurement."]
            began = time.perf_counter()
            with subprocess.Popen(command, env=environment) as making:
                _, status, used = os.wait4(making.pid, 0)
                making.returncode = os.waitstatus_to_exitcode(status)
            took = time.perf_counter() - began
            assert making.returncode == 0, "nothing keeps it from being made"
            sizes = {path.suffix: path.stat().st_size / 1e6 for path in out.iterdir()}
        finally:
            stop(folder / "postgres")
    table = Table("bindery bordereau make", "Measured", "Goal")
    table.add_row("rows", f"{ROWS:,}", "")
    table.add_row("seconds", f"{took:.1f}", f"{GOAL_S:.0f}")
    table.add_row("seconds of processor time", f"{used.ru_utime + used.ru_stime:.1f}", "")
    table.add_row("memory, MB", f"{used.ru_maxrss / 1024:.0f}", f"{GOAL_MB:.0f}")
    for suffix in (".csv", ".xlsx", ".parquet"):
        table.add_row(f"{suffix}, MB", f"{sizes[suffix]:.1f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
