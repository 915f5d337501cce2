"""`bindery book verify` over a large ledger.

A few policies go through the real service, in states that keep some of their charges, with everything that
moves premium; they are copied inside the database, with quotes, journals, notices and frozen facts, until
there are a million transactions. Then the command reads all of it.
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

from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop
from bindery.storage.migrate import migrate
from support.book import binder_file, busy, import_file
from support.postgres import create_database
from support.service import serving

TRANSACTIONS = 1_000_000
AT_ONCE = 2_000
GOAL_S = 60.0

COPIED = {
    "quotes": {"quote_id": "{id}"},
    "binds": {"quote_id": "{id}", "policy_number": "t.policy_number || '/' || n", "occupies": "null"},
    "journal": {"quote_id": "{id}"},
    "notices": {"quote_id": "{id}"},
    "packets": {"quote_id": "{id}"},
    "premium_transactions": {
        "quote_id": "{id}",
        "transaction_id": "nextval(pg_get_serial_sequence('premium_transactions', 'transaction_id'))",
    },
}
"""The columns that a copy has of its own."""
COPY_ID = "md5(t.quote_id::text || n)::uuid"


async def copy_policies(connection: "asyncpg.Connection[asyncpg.Record]", copies: int) -> None:
    columns = {}
    for table in COPIED:
        rows = await connection.fetch(
            "select column_name from information_schema.columns "
            "where table_schema = 'public' and table_name = $1 order by ordinal_position",
            table,
        )
        columns[table] = [row["column_name"] for row in rows]
    # What is copied is as it was written: neither triggers nor references have anything to say.
    await connection.execute("set session_replication_role = replica")
    # All copies are options of the same submissions.
    await connection.execute("drop index options_of_submission")
    for table, made in COPIED.items():
        await connection.execute(f"create temporary table seed_{table} as select * from {table}")
        values = [made[name].format(id=COPY_ID) if name in made else f"t.{name}" for name in columns[table]]
        for first in range(1, copies + 1, AT_ONCE):
            await connection.execute(
                f"insert into {table} ({', '.join(columns[table])}) overriding system value "
                f"select {', '.join(values)} from seed_{table} t, "
                f"generate_series({first}, {min(first + AT_ONCE - 1, copies)}) n"
            )
    await connection.execute(
        "update binders set premium_booked = (select sum(premium) from premium_transactions)"
    )
    await connection.execute("vacuum analyze")


async def fill(dsn: str, folder: Path) -> int:
    await migrate(dsn)
    async with serving(dsn, folder, pool_size=4) as service:
        wide = binder_file(inception="2020-01-01", expiry="2099-01-01", premium_limit=10**12)
        assert await import_file(service, wide) == []
        await busy(service)
    connection = await asyncpg.connect(dsn)
    try:
        seeds = await connection.fetchval("select count(*) from premium_transactions")
        await copy_policies(connection, TRANSACTIONS // seeds)
        count: int = await connection.fetchval("select count(*) from premium_transactions")
        return count
    finally:
        await connection.close()


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            dsn = asyncio.run(create_database(server.dsn, "book"))
            count = asyncio.run(fill(dsn, folder))
            environment = {**os.environ, "BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": name}
            began = time.perf_counter()
            program = str(Path(sys.executable).with_name("bindery"))
            with subprocess.Popen([program, "book", "verify"], env=environment) as verifying:
                _, status, used = os.wait4(verifying.pid, 0)
                verifying.returncode = os.waitstatus_to_exitcode(status)
            took = time.perf_counter() - began
            assert verifying.returncode == 0, "a copy is as whole as what it was made of"
        finally:
            stop(folder / "postgres")
    table = Table("bindery book verify", "Measured", "Goal")
    table.add_row("transactions", f"{count:,}", "")
    table.add_row("seconds", f"{took:.1f}", f"{GOAL_S:.0f}")
    table.add_row("memory, MB", f"{used.ru_maxrss / 1024:.0f}", "300")
    Console().print(table)


if __name__ == "__main__":
    main()
