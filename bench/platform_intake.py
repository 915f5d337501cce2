"""What the platform's lists and searches cost the intake: POST with their indexes and without, by turns."""

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import asyncpg
from rich.progress import track

from bench.intake import APPS, free_port, post_maker, prepare, start, wait_until_up
from bench.load import fire
from bindery.outside import embedded_postgres
from support.postgres import create_database

ROUNDS: Final = 30
SECONDS: Final = 1.0
GOAL: Final = 0.97
FOR_PEOPLE: Final = ("companies_of_partner", "companies_by_time", "submissions_by_words", "submissions_alike")
"""Indexes that came with the pages and that every submission writes."""


@contextlib.contextmanager
def _serving(port: int, environment: dict[str, str]) -> Iterator[None]:
    process = start(APPS["ours"], port, environment)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


async def measure(folder: Path, *, rounds: int = ROUNDS, seconds: float = SECONDS) -> list[float]:
    """Return, for each round, the rate of submissions over the rate without the indexes of the pages."""
    server = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
    try:
        with contextlib.ExitStack() as stack:
            places = {}
            for name in ("platform", "bare"):
                dsn = await create_database(server, name)
                token, environment = await prepare(dsn, folder)
                if name == "bare":
                    await _drop_indexes(dsn)
                port = free_port()
                stack.enter_context(_serving(port, environment))
                await wait_until_up(port)
                places[name] = (port, post_maker(token))
            for port, make_post in places.values():
                await fire(port, make_post, seconds=seconds)
            ratios = []
            for number in track(range(rounds), description="POST, by turns", transient=True):
                # Whoever comes second finds the disk busy with what the first one wrote.
                turns = list(places) if number % 2 else list(reversed(places))
                rates = {name: (await fire(*places[name], seconds=seconds)).per_second for name in turns}
                ratios.append(rates["platform"] / rates["bare"])
    finally:
        embedded_postgres.stop(folder)
    return ratios


async def _drop_indexes(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(f"drop index {', '.join(FOR_PEOPLE)}")
    finally:
        await connection.close()


def main() -> None:
    """Print the ratio."""
    with tempfile.TemporaryDirectory() as name:
        ratios = asyncio.run(measure(Path(name)))
    print(
        f"Submissions with the indexes of the platform, of those without: {median(ratios):.2f} "
        f"(goal {GOAL}; {min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} rounds)."
    )


if __name__ == "__main__":
    main()
