"""A large ledger: a few policies go through the real service, and are copied inside the database.

With them their quotes, journals, notices and frozen facts are copied. `LEDGER_ROWS` makes it smaller.
"""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from bench.command import Taken, run
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop
from bindery.storage.migrate import migrate
from bindery.storage.operations.kept_book import BOOKED
from support.book import binder_file, import_file
from support.postgres import create_database
from support.service import Service, serving

AT_ONCE = 2_000
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
COPY_ID = "(lpad(to_hex(n), 12, '0') || right(md5(t.quote_id::text || n), 20))::uuid"
"""In the order in which they are written, as ids are that begin with the time."""
Play = Callable[[Service], Awaitable[None]]
Change = Callable[["asyncpg.Connection[asyncpg.Record]"], Awaitable[None]]


@dataclass(frozen=True)
class Ledger:
    """A database with a large ledger, and the environment in which commands find it."""

    transactions: int
    first_month: str
    folder: Path
    environment: dict[str, str]

    def run(self, *arguments: str, stdout: int | None = None) -> Taken:
        return run(self.environment, *arguments, stdout=stdout)


@contextmanager
def ledger(
    play: Play,
    transactions: int,
    change: Change | None = None,
) -> Iterator[Ledger]:
    """Play a story, copy it until there are so many transactions, and change the copies."""
    configure_logs("WARNING")
    transactions = int(os.environ.get("LEDGER_ROWS", transactions))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            dsn = asyncio.run(create_database(server.dsn, "ledger"))
            count, first_month = asyncio.run(_fill(dsn, folder, play, transactions, change))
            yield Ledger(count, first_month, folder, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": name})
        finally:
            stop(folder / "postgres")


async def _fill(
    dsn: str,
    folder: Path,
    play: Play,
    transactions: int,
    change: Change | None,
) -> tuple[int, str]:
    await migrate(dsn)
    async with serving(dsn, folder, pool_size=4) as service:
        wide = binder_file(inception="2020-01-01", expiry="2099-01-01", premium_limit=10**12)
        assert await import_file(service, wide) == []
        await play(service)
    connection = await asyncpg.connect(dsn)
    try:
        # What is copied is as it was written: neither triggers nor references have anything to say.
        await connection.execute("set session_replication_role = replica")
        seeds = await connection.fetchval("select count(*) from premium_transactions")
        await _copy(connection, transactions // seeds)
        if change is not None:
            await change(connection)
        await connection.execute(
            "update binders set premium_booked = (select sum(premium) from premium_transactions)"
        )
        await connection.execute(f"delete from booked_sums; insert into booked_sums {BOOKED}")
        await connection.execute("vacuum analyze")
        row = await connection.fetchrow(
            "select count(*), to_char(min(booked_on), 'YYYY-MM') from premium_transactions"
        )
        assert row is not None
        return row[0], row[1]
    finally:
        await connection.close()


async def _copy(connection: "asyncpg.Connection[asyncpg.Record]", copies: int) -> None:
    # All copies are options of the same submissions.
    await connection.execute("drop index options_of_submission")
    for table, made in COPIED.items():
        rows = await connection.fetch(
            "select column_name from information_schema.columns "
            "where table_schema = 'public' and table_name = $1 order by ordinal_position",
            table,
        )
        columns = [row["column_name"] for row in rows]
        values = [made[name].format(id=COPY_ID) if name in made else f"t.{name}" for name in columns]
        await connection.execute(f"create temporary table seed_{table} as select * from {table}")
        for first in range(1, copies + 1, AT_ONCE):
            await connection.execute(
                f"insert into {table} ({', '.join(columns)}) overriding system value "
                f"select {', '.join(values)} from seed_{table} t, "
                f"generate_series({first}, {min(first + AT_ONCE - 1, copies)}) n"
            )
