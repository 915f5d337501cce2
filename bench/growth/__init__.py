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
from bench.growth.whole import FeedRead, Verified, read_feed, verify_journals
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from support.service import Service

SMALL = 10_000
LARGE = 100_000
"""What `make bench` can wait for; `python -m bench growth --large 1000000` takes half an hour and 15 GB."""


@dataclass(frozen=True)
class Grown:
    """A portfolio, what its making took, and what it costs."""

    quotes: int
    rows: int
    gigabytes: float
    made_s: float
    costs: dict[str, Cost]
    verified: Verified
    feed: FeedRead


async def measure_size(server: str, folder: Path, quotes: int, progress: Progress) -> Grown:
    bar = progress.add_task(f"Copying {quotes:,} quotes", total=None)
    began = time.perf_counter()
    async with portfolio(server, folder, quotes, _tell(progress, bar)) as service:
        made_s = time.perf_counter() - began
        quotes, rows, size = await _sizes(service)
        costs = await measure_probes(service, lambda name: progress.update(bar, description=name))
        progress.update(bar, description="Reading the feed")
        feed = await read_feed(service)
        progress.update(bar, description="Verifying journals")
        verified = await verify_journals(service)
    progress.remove_task(bar)
    return Grown(quotes, rows, size / 1e9, made_s, costs, verified, feed)


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


async def measure(small: int, large: int, kept: Path | None) -> tuple[Grown, Grown]:
    configure_logs("error")
    with tempfile.TemporaryDirectory() as name, Progress(transient=True) as progress:
        folder = kept or Path(name)
        server = await asyncio.to_thread(embedded_postgres.ensure_running, folder, durable=False)
        try:
            return (
                await measure_size(server.dsn, folder, small, progress),
                await measure_size(server.dsn, folder, large, progress),
            )
        finally:
            embedded_postgres.stop(folder)


def main(*, small: int = SMALL, large: int = LARGE, folder: Path | None = None) -> None:
    """Print the table; portfolios in `folder` are kept there and used again."""
    both = asyncio.run(measure(small, large, folder))
    console = Console()
    console.print(table_of(both[0].costs, both[1].costs, (both[0].quotes, both[1].quotes)))
    console.print(
        f"Goal: no more than {GOAL} times the pages; a page is 8 KB, in memory or not.", highlight=False
    )
    for name, tables in scans_of(both[1].costs).items():
        console.print(f"{name} reads all of {', '.join(sorted(tables))}", style="yellow", highlight=False)
    table = Table(
        "portfolio", "rows", "GB", "made in", "journal verify", "memory", "feed, events a second", box=None
    )
    for grown in both:
        table.add_row(
            f"{grown.quotes:,} quotes",
            f"{grown.rows:,}",
            f"{grown.gigabytes:.1f}",
            f"{grown.made_s:,.0f} s",
            f"{grown.verified.entries:,} entries, {grown.verified.flaws} flaws, "
            f"{grown.verified.seconds:,.0f} s",
            f"{grown.verified.peak_mb:.0f} MB",
            f"{grown.feed.oldest:,.0f} oldest, {grown.feed.newest:,.0f} newest",
        )
    console.print(table)
