"""`bindery verify --all` over a grown portfolio: how many quotes a second, and in how much memory.

A few companies go through the real service and are copied inside the database, as for growth; then the
command reads all of it, every document and upload included: first with documents of one line, as their
stories leave them, then with documents as long as a letter is. Next to it stands the floor: reading and
hashing the same files, by as many threads.
"""

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from rich.console import Console
from rich.table import Table

from bench.command import Taken, run
from bench.growth.portfolio import portfolio
from bindery.logs import configure_logs
from bindery.outside.embedded_postgres import ensure_running, stop

QUOTES = 20_000
LETTER_KB = 80
THREADS = min(max(os.cpu_count() or 1, 2), 16)
QUOTES_A_SECOND = 2_000
MOST_MB = 200


@dataclass(frozen=True)
class Verified(Taken):
    quotes: int


@dataclass(frozen=True)
class Floor:
    megabytes: float
    seconds: float
    processor_s: float


async def measure(server: str, folder: Path) -> dict[str, tuple[Verified, Floor]]:
    measured = {}
    async with portfolio(server, folder, QUOTES) as service:
        pool = service.runtime.database.pool
        quotes = await pool.fetchval("select count(*) from quotes")
        settings = service.runtime.settings
        environment = {
            "BINDERY_DATABASE_URL": settings.database_url,
            "BINDERY_DATA_DIR": str(settings.data_dir),
        }
        files = settings.data_dir / "files"
        for label, length in (("documents of a line", 0), (f"of {LETTER_KB} KB", LETTER_KB * 1024)):
            hashes = await lengthen(pool, files, length)
            taken = await asyncio.to_thread(run, environment, "verify", "--all")
            verified = Verified(**vars(taken), quotes=quotes)
            measured[label] = verified, await asyncio.to_thread(read_and_hash, files, hashes)
    return measured


async def lengthen(pool: "asyncpg.Pool[asyncpg.Record]", files: Path, length: int) -> list[str]:
    """Make each document at least so long, and return the hash of each row's file."""
    hashes = [row[0] for row in await pool.fetch("select sha256 from documents")]
    if not length:
        return hashes
    longer = {}
    for sha256 in {*hashes}:
        content = (files / sha256[:2] / sha256).read_bytes().ljust(length)
        longer[sha256] = hashlib.sha256(content).hexdigest()
        file = files / longer[sha256][:2] / longer[sha256]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    statement = """
    update documents set sha256 = l.longer
    from unnest($1::text[], $2::text[]) as l(short, longer) where sha256 = l.short
    """
    await pool.execute(statement, [*longer], [*longer.values()])
    await pool.execute("vacuum analyze documents")
    return [longer[sha256] for sha256 in hashes]


def read_and_hash(files: Path, hashes: Sequence[str]) -> Floor:
    def read(part: Sequence[str]) -> int:
        size = 0
        for sha256 in part:
            with open(f"{files}/{sha256[:2]}/{sha256}", "rb", buffering=0) as content:  # noqa: PTH123 - the floor
                size += len(found := content.readall())
            assert hashlib.sha256(found).hexdigest() == sha256
        return size

    began, processor = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(THREADS) as threads:
        size = sum(threads.map(read, [hashes[start::THREADS] for start in range(THREADS)]))
    return Floor(size / 1e6, time.perf_counter() - began, time.process_time() - processor)


def main() -> None:
    configure_logs("WARNING")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = ensure_running(folder / "postgres", durable=False)
        try:
            measured = asyncio.run(measure(server.dsn, folder))
        finally:
            stop(folder / "postgres")
    table = Table("bindery verify --all", *measured, "Goal")

    def add(name: str, show: Callable[[Verified, Floor], str], goal: str = "") -> None:
        table.add_row(name, *(show(verified, floor) for verified, floor in measured.values()), goal)

    add("quotes", lambda verified, _: f"{verified.quotes:,}")
    add("seconds", lambda verified, _: f"{verified.seconds:.1f}")
    add("… of the processor, without PostgreSQL", lambda verified, _: f"{verified.processor_s:.1f}")
    add("quotes a second", lambda v, _: f"{v.quotes / v.seconds:,.0f}", f"{QUOTES_A_SECOND:,}")
    add("memory, MB", lambda verified, _: f"{verified.megabytes:.0f}", f"{MOST_MB}")
    add("floor: its documents, MB", lambda _, floor: f"{floor.megabytes:,.0f}")
    add("… read and hashed, seconds", lambda _, floor: f"{floor.seconds:.1f}")
    add("… of the processor", lambda _, floor: f"{floor.processor_s:.1f}")
    add("… quotes a second", lambda v, floor: f"{v.quotes / floor.seconds:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
