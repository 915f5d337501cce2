"""Growth: what hot paths and sweeps cost on a small and on a large portfolio, in pages and in time."""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from bench.growth.copies import Tell
from bench.growth.measure import GOAL, Cost, measure_probes, scans_of, table_of
from bench.growth.portfolio import portfolio
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from support.service import Service

SMALL = 10_000
LARGE = 100_000
"""What `make bench` can wait for. A million takes about 15 minutes of a core and 14 GB to copy."""


@dataclass(frozen=True)
class Grown:
    """A portfolio, what its making took, and what it costs."""

    quotes: int
    rows: int
    gigabytes: float
    made_s: float
    costs: dict[str, Cost]


async def measure_size(server: str, folder: Path, quotes: int, progress: Progress) -> Grown:
    bar = progress.add_task(f"Copying {quotes:,} quotes", total=None)
    began = time.perf_counter()
    async with portfolio(server, folder, quotes, _tell(progress, bar)) as service:
        made_s = time.perf_counter() - began
        quotes, rows, size = await _sizes(service)
        costs = await measure_probes(service, lambda name: progress.update(bar, description=name))
    progress.remove_task(bar)
    return Grown(quotes, rows, size / 1e9, made_s, costs)


def _tell(progress: Progress, bar: TaskID) -> Tell:
    return lambda done, total: progress.update(bar, completed=done, total=total)


async def _sizes(service: Service) -> tuple[int, int, int]:
    row = await service.runtime.database.pool.fetchrow(
        """
        select (select count(*) from quotes), sum(n_live_tup)::bigint, pg_database_size(current_database())
        from pg_stat_user_tables
        """
    )
    assert row is not None
    return row[0], row[1], row[2]


async def measure(small: int, large: int, folder: Path, console: Console) -> None:
    configure_logs("error")
    server = (await asyncio.to_thread(embedded_postgres.ensure_running, folder, durable=False)).dsn
    try:
        with Progress(console=console, transient=True) as progress:
            few, many = [await measure_size(server, folder, size, progress) for size in (small, large)]
        _print_costs(console, few, many)
    finally:
        embedded_postgres.stop(folder)


def _print_costs(console: Console, few: Grown, many: Grown) -> None:
    console.print(table_of(few.costs, many.costs, (few.quotes, many.quotes)))
    console.print(
        f"Goal: no more than {GOAL} times the pages; a page is 8 KB, in memory or not.", highlight=False
    )
    for name, tables in scans_of(many.costs).items():
        console.print(f"{name} reads all of {', '.join(sorted(tables))}", style="yellow", highlight=False)
    table = Table(
        *("portfolio", "rows", "GB", "made in"),
        box=None,
    )
    for grown in (few, many):
        table.add_row(
            f"{grown.quotes:,} quotes",
            f"{grown.rows:,}",
            f"{grown.gigabytes:.1f}",
            f"{grown.made_s:,.0f} s",
        )
    console.print(table)


def main(*, small: int = SMALL, large: int = LARGE, folder: Path | None = None) -> None:
    """Print the tables; portfolios in `folder` are kept there and used again."""
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(measure(small, large, folder or Path(name), Console()))
