"""`make soak`: a portfolio of 10,000 quotes over five years of clock, everything checked after each month.

The same as `tests/scenarios/test_portfolio.py`, only larger. It takes a while; a seed repeats a run.
"""

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bindery.logs import configure_logs
from bindery.storage.migrate import migrate
from support.portfolio import MONTHS, Portfolio
from support.postgres import create_database, shared_server, stop_shared_server
from support.press import plain_press
from support.service import serving

console = Console()


async def soak(quotes: int, seed: int, folder: Path) -> None:
    configure_logs("warning", file=folder / "bindery.log")
    dsn = await create_database(shared_server(), f"soak_{time.time_ns()}")
    await migrate(dsn)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("months"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    with plain_press(), bar as progress:
        async with serving(dsn, folder, pool_size=10) as service:
            task = progress.add_task(f"{quotes:,} quotes, seed {seed}", total=MONTHS)
            portfolio = Portfolio(service, size=quotes, rng=random.Random(seed))
            await portfolio.live(lambda months: progress.advance(task, months))
            policies = await service.count("binds where policy_number is not null")
            entries = await service.count("journal")
    happened = ", ".join(f"{what} {count:,}" for what, count in portfolio.happened.most_common())
    console.print(f"Every promise kept: {policies:,} policies, {entries:,} journal entries.", highlight=False)
    console.print(happened, highlight=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quotes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bindery-soak-") as folder:
        try:
            asyncio.run(soak(asked.quotes, asked.seed, Path(folder)))
        finally:
            stop_shared_server()


if __name__ == "__main__":
    main()
