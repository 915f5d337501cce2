"""What a second process of `serve` and a second `work` add, and how many cores are busy at the time."""

import asyncio
import contextlib
import itertools
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec
import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.burst import Client, running, submissions, wait_for_published
from bench.intake import free_port, post_maker, prepare, wait_until_up
from bench.load import fire, http_request
from bindery.outside import embedded_postgres
from bindery.settings import Environment

ROUNDS = 3
SECONDS = 4.0
QUEUED = 300
WARM_PART = 0.25
"""Of the queue this part is worked off before the rate is taken: until then workers are starting."""
GOAL = 1.8

Rates = defaultdict[tuple[str, int], list[tuple[float, float]]]
"""By what was done and by how many processes: how much a second, and how many cores were busy."""


class BusyCores:
    """How many cores of the machine were busy since it was made: our processes, the database and the load."""

    def __init__(self) -> None:
        self._began, self._busy = time.perf_counter(), self._seconds()

    def so_far(self) -> float:
        return (self._seconds() - self._busy) / (time.perf_counter() - self._began)

    @staticmethod
    def _seconds() -> float:
        times = psutil.cpu_times()
        return float(times.user + times.system + times.nice)


async def measure_serving(token: str, environment: dict[str, str], rates: Rates) -> None:
    """Load a server of one process and a server of two by turns."""
    ports = {1: free_port(), 2: free_port()}
    with contextlib.ExitStack() as stack:
        for count, port in ports.items():
            stack.enter_context(
                running(["serve", "--port", str(port), "--processes", str(count)], environment)
            )
            await wait_until_up(port)
        make_post = post_maker(token)
        warm = [await fire(port, make_post, seconds=1, keep=50) for port in ports.values()]
        reads = itertools.cycle(
            http_request("GET", f"/v2/quotes/{quote['quote_identifier']}", token)
            for load in warm
            for body in load.bodies
            for quote in msgspec.json.decode(body)["quotes"]
        )
        kinds: dict[str, Callable[[], bytes]] = {"GET": lambda: next(reads), "POST": make_post}
        for _ in range(ROUNDS):
            for kind, make in kinds.items():
                for count, port in ports.items():
                    cores = BusyCores()
                    load = await fire(port, make, seconds=SECONDS)
                    rates[kind, count].append((load.per_second, cores.so_far()))


async def measure_working(dsn: str, token: str, environment: dict[str, str], rates: Rates) -> None:
    """Empty a full queue with one worker, then with two, by turns."""
    port = free_port()
    for count in (1, 2) * ROUNDS:
        with running(["serve", "--port", str(port)], environment):
            await wait_until_up(port)
            client = Client(port, submissions(token))
            await client.send(QUEUED, in_seconds=0)
        with contextlib.ExitStack() as stack:
            cores = BusyCores()
            for _ in range(count):
                stack.enter_context(running(["work"], environment))
            published = await wait_for_published(dsn, list(client.sent))
            busy = cores.so_far()
        times = sorted(published.values())
        counted = times[int(len(times) * WARM_PART) :]
        rate = (len(counted) - 1) / (counted[-1] - counted[0]).total_seconds()
        rates["submissions", count].append((rate, busy))


async def measure() -> Rates:
    rates: Rates = defaultdict(list)
    with tempfile.TemporaryDirectory() as name, Progress(transient=True) as progress:
        progress.add_task("One process and two, by turns", total=None)
        folder = Path(name)
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
        try:
            token, environment = await prepare(dsn, folder, Environment.DEMO)
            # First, while nothing is queued but what is to be worked off.
            await measure_working(dsn, token, environment, rates)
            await measure_serving(token, environment, rates)
        finally:
            embedded_postgres.stop(folder)
    return rates


def main() -> None:
    rates = asyncio.run(measure())
    console = Console()
    console.print(
        f"On {psutil.cpu_count()} cores, which also make the load and run the database. The goal for two is "
        f"{GOAL:.2f} times the rate of one, where cores are free.",
        highlight=False,
    )
    table = Table("", "count", "a second", "of one", "cores busy", box=None)
    for (kind, count), found in rates.items():
        ratios = [rate / alone for (rate, _), (alone, _) in zip(found, rates[kind, 1], strict=True)]
        per_second, busy = (median(list(values)) for values in zip(*found, strict=True))
        table.add_row(kind, str(count), f"{per_second:,.0f}", f"{median(ratios):.2f}", f"{busy:.2f}")
    console.print(table)
