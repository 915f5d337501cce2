"""What a second process of `serve` and a second `work` add, and what the cores are busy with at the time."""

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import msgspec
import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.burst import Client, running, submissions, wait_for_published
from bench.intake import free_port, post_maker, prepare, wait_until_up
from bench.load import fire, http_request, median
from bindery.outside import embedded_postgres
from bindery.settings import Environment, Settings

ROUNDS = 3
SECONDS = 4.0
QUEUED = 300
WARM_PART = 0.25
"""Of the queue this part is worked off before the rate is taken: until then workers are starting."""
GOAL = 1.8
LISTENING = 1
"""Connections of a process outside its pool: one hears what the database tells."""
QUEUE_CONNECTIONS = 5
"""What a worker holds for the queue at the most."""


@dataclass
class Used:
    """Processor seconds by who used them."""

    api: float = 0.0
    workers: float = 0.0
    database: float = 0.0
    load: float = 0.0


@dataclass
class Rate:
    """How much was done a second, how many cores it took, and the connections that all held afterwards."""

    per_second: float
    cores: Used
    connections: int


def seconds_of(processes: Iterable[psutil.Process]) -> float:
    """Return the processor time of processes and their children."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            for member in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    times = member.cpu_times()
                    total += times.user + times.system
    return total


@dataclass
class Place:
    """A database, what a process needs to work on it, and who is at work."""

    dsn: str
    token: str
    environment: dict[str, str]
    postmaster: psutil.Process
    connection: "asyncpg.Connection[asyncpg.Record]"

    async def connections(self) -> int:
        count: int = await self.connection.fetchval(
            "select count(*) from pg_stat_activity where backend_type = 'client backend' "
            "and pid <> pg_backend_pid()"
        )
        return count

    def used(self, api: Iterable[psutil.Process], workers: Iterable[psutil.Process]) -> Used:
        own = psutil.Process().cpu_times()
        return Used(
            seconds_of(api), seconds_of(workers), seconds_of([self.postmaster]), own.user + own.system
        )


@contextlib.asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
    try:
        token, environment = await prepare(dsn, folder, Environment.DEMO)
        connection = await asyncpg.connect(dsn)
        backend: int = await connection.fetchval("select pg_backend_pid()")
        postmaster = psutil.Process(backend).parent()
        assert postmaster is not None
        yield Place(dsn, token, environment, postmaster, connection)
        await connection.close()
    finally:
        embedded_postgres.stop(folder)


async def measure_serving(where: Place, rounds: int, seconds: float) -> dict[tuple[str, int], list[Rate]]:
    """Load a server of one process and a server of two by turns."""
    ports = {1: free_port(), 2: free_port()}
    rates: dict[tuple[str, int], list[Rate]] = {}
    with contextlib.ExitStack() as stack:
        servers = {}
        for count, port in ports.items():
            command = ["serve", "--port", str(port), "--processes", str(count)]
            servers[count] = psutil.Process(stack.enter_context(running(command, where.environment)).pid)
            await wait_until_up(port)
        make_post = post_maker(where.token)
        warm = [await fire(port, make_post, seconds=1, keep=50) for port in ports.values()]
        receipts = [msgspec.json.decode(body) for load in warm for body in load.bodies]
        paths = [
            f"/v2/quotes/{quote['quote_identifier']}" for receipt in receipts for quote in receipt["quotes"]
        ]
        reads = itertools.cycle([http_request("GET", path, where.token) for path in paths])
        kinds: dict[str, Callable[[], bytes]] = {"GET": lambda: next(reads), "POST": make_post}
        for _ in range(rounds):
            for kind, make in kinds.items():
                for count, port in ports.items():
                    before = where.used([servers[count]], [])
                    load = await fire(port, make, seconds=seconds)
                    after = where.used([servers[count]], [])
                    rate = Rate(
                        load.per_second, _cores(before, after, load.seconds), await where.connections()
                    )
                    rates.setdefault((kind, count), []).append(rate)
    return rates


def _cores(before: Used, after: Used, seconds: float) -> Used:
    return Used(
        (after.api - before.api) / seconds,
        (after.workers - before.workers) / seconds,
        (after.database - before.database) / seconds,
        (after.load - before.load) / seconds,
    )


async def measure_working(where: Place, rounds: int, queued: int) -> dict[tuple[str, int], list[Rate]]:
    """Empty a full queue with one worker, then with two, by turns."""
    rates: dict[tuple[str, int], list[Rate]] = {}
    port = free_port()
    for _ in range(rounds):
        for count in (1, 2):
            with running(["serve", "--port", str(port)], where.environment):
                await wait_until_up(port)
                client = Client(port, submissions(where.token))
                await client.send(queued, in_seconds=0)
            rates.setdefault(("submissions", count), []).append(await _work_off(where, client, count))
    return rates


async def _work_off(where: Place, client: Client, count: int) -> Rate:
    with contextlib.ExitStack() as stack:
        began = asyncio.get_running_loop().time()
        workers = [
            psutil.Process(stack.enter_context(running(["work"], where.environment)).pid)
            for _ in range(count)
        ]
        before = where.used([], workers)
        published = await wait_for_published(where.dsn, list(client.sent))
        after = where.used([], workers)
        connections = await where.connections()
        seconds = asyncio.get_running_loop().time() - began
    times = sorted(published.values())
    counted = times[int(len(times) * WARM_PART) :]
    rate = (len(counted) - 1) / (counted[-1] - counted[0]).total_seconds()
    return Rate(rate, _cores(before, after, seconds), connections)


async def measure(rounds: int = ROUNDS, seconds: float = SECONDS, queued: int = QUEUED) -> tuple[
    dict[tuple[str, int], list[Rate]], int
]:  # fmt: skip
    with tempfile.TemporaryDirectory() as name, Progress(transient=True) as progress:
        progress.add_task("One process and two, by turns", total=None)
        async with place(Path(name)) as where:
            # First, while nothing is queued but what is to be worked off.
            working = await measure_working(where, rounds, queued)
            serving = await measure_serving(where, rounds, seconds)
            most: str = await where.connection.fetchval("show max_connections")
    return working | serving, int(most)


def main() -> None:
    rates, most = asyncio.run(measure())
    console = Console()
    console.print(
        f"On {psutil.cpu_count()} cores, which also make the load. The goal for a second one is {GOAL:.2f} "
        "times the rate of one, where cores are free.\n"
        "Below: the cores that each keeps busy, and the connections held by all of them.",
        highlight=False,
    )
    table = Table(
        "", "count", "a second", "of one", "API", "worker", "database", "load", "held", box=None,
    )  # fmt: skip
    for (kind, count), found in rates.items():
        ones = [rate.per_second for rate in rates[kind, 1]]
        ratio = median([rate.per_second / alone for rate, alone in zip(found, ones, strict=True)])
        table.add_row(
            kind, str(count), f"{median([rate.per_second for rate in found]):,.0f}", f"{ratio:.2f}",
            *(
                f"{median([getattr(rate.cores, who) for rate in found]):.2f}"
                for who in ("api", "workers", "database", "load")
            ),
            str(max(rate.connections for rate in found)),
        )  # fmt: skip
    console.print(table)
    pool = Settings().pool_size
    console.print(
        f"Connections at the most: {pool + LISTENING} for each process of serve, "
        f"{pool + LISTENING + QUEUE_CONNECTIONS} for each work; the server allows {most}.",
        highlight=False,
    )


if __name__ == "__main__":
    main()
