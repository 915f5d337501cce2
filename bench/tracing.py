"""What tracing costs: with every request sampled next to without, alternating in one run.

The machine decides how many a second there are; processor time a request says the same of any machine, also
of one that does other things at the time.
"""

import asyncio
import contextlib
import itertools
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import asyncpg
import msgspec
import psutil
from rich.console import Console
from rich.table import Table

from bench.burst import Client, running, submissions, wait_for_published
from bench.intake import free_port, post_maker, prepare, wait_until_up
from bench.load import Load, fire, http_request
from bindery.base.tracing import span
from bindery.outside import embedded_postgres
from bindery.settings import Environment

ROUNDS = 4
SECONDS = 2.5
QUEUED = 150
WARM_PART = 0.2
GOAL_ON, GOAL_OFF = 0.93, 0.995
SPANS_OF_A_SUBMISSION = 12
"""The request, its job with seven parts, its deliveries and what asks where a trace stands; rounded up."""

Measured = defaultdict[tuple[str, str], list[tuple[float, float]]]
"""By what is done and whether it is traced: how many a second, and milliseconds of processor time each."""


async def sink() -> None:
    """Take what is sent and read none of it, so that the collector costs the machine next to nothing."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (EOFError, OSError):
            writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


def processor_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


@dataclass(frozen=True)
class Site:
    """What a service is run with; one is compared with another."""

    dsn: str
    token: str
    environment: dict[str, str]


async def measure_requests(sites: dict[str, Site], measured: Measured) -> None:
    servers: dict[str, tuple[int, int]] = {}
    makers: dict[str, dict[str, Callable[[], bytes]]] = {}
    with contextlib.ExitStack() as stack:
        for label, site in sites.items():
            port = free_port()
            process = stack.enter_context(running(["serve", "--port", str(port)], site.environment))
            await wait_until_up(port)
            servers[label] = port, process.pid
            make_post = post_maker(site.token)
            warm = await fire(port, make_post, seconds=1, keep=50)
            makers[label] = {"POST /quotes": make_post, "GET a quote": _reads(site.token, warm).__next__}
        for number in range(ROUNDS):
            for kind in ("POST /quotes", "GET a quote"):
                for label, (port, pid) in sorted(servers.items(), reverse=bool(number % 2)):
                    before = processor_s(pid)
                    load = await fire(port, makers[label][kind], seconds=SECONDS)
                    each_ms = (processor_s(pid) - before) * 1000 / load.requests
                    measured[kind, label].append((load.per_second, each_ms))


def _reads(token: str, load: Load) -> Iterator[bytes]:
    return itertools.cycle(
        http_request("GET", f"/v2/quotes/{quote['quote_identifier']}", token)
        for body in load.bodies
        for quote in msgspec.json.decode(body)["quotes"]
    )


async def wait_for_the_first(dsn: str, *, of: int) -> int:
    """Return how many are done once a worker is at work; what its start costs is not what is compared."""
    statement = "select count(*) from pgq.pgqueuer where entrypoint = 'process_submission'"
    connection = await asyncpg.connect(dsn)
    try:
        while (left := await connection.fetchval(statement)) > of * (1 - WARM_PART):  # noqa: ASYNC110 - the database sets no event
            await asyncio.sleep(0.01)
    finally:
        await connection.close()
    return of - int(left)


async def measure_work(sites: dict[str, Site], measured: Measured) -> None:
    port = free_port()
    for number in range(ROUNDS):
        for label, site in sorted(sites.items(), reverse=bool(number % 2)):
            with running(["serve", "--port", str(port)], site.environment):
                await wait_until_up(port)
                client = Client(port, submissions(site.token))
                await client.send(QUEUED, in_seconds=0)
            with running(["work"], site.environment) as worker:
                begun = await wait_for_the_first(site.dsn, of=len(client.sent))
                before = processor_s(worker.pid)
                published = await wait_for_published(site.dsn, list(client.sent))
                each_ms = (processor_s(worker.pid) - before) * 1000 / (len(published) - begun)
            times = sorted(published.values())
            rate = (len(times) - 1) / (times[-1] - times[0]).total_seconds()
            measured["submission worked on", label].append((rate, each_ms))


async def measure() -> Measured:
    measured: Measured = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
        port = free_port()
        taking = await asyncio.create_subprocess_exec(sys.executable, "-m", "bench.tracing", str(port))
        try:
            token, environment = await prepare(dsn, folder, Environment.DEMO)
            off = {**environment, "OTEL_EXPORTER_OTLP_ENDPOINT": ""}
            on = {**environment, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
            sites = {"off": Site(dsn, token, off), "on": Site(dsn, token, on)}
            await measure_work(sites, measured)
            await measure_requests(sites, measured)
        finally:
            taking.terminate()
            await taking.wait()
            embedded_postgres.stop(folder)
    return measured


def cost_of_a_span_off_us(count: int = 200_000) -> float:
    started = time.process_time()
    for _ in range(count):
        with span("scan", job=1, attempt=1):
            pass
    return (time.process_time() - started) / count * 1_000_000


def compared(measured: Measured, *, goal: float) -> Table:
    table = Table(
        "", "off/s", "on/s", "rate of off", "ms off", "ms on", "by processor time", "goal", box=None
    )
    for kind in dict.fromkeys(kind for kind, _ in measured):
        off, on = measured[kind, "off"], measured[kind, "on"]
        rate = median(traced / plain for (plain, _), (traced, _) in zip(off, on, strict=True))
        cost = median(plain / traced for (_, plain), (_, traced) in zip(off, on, strict=True))
        (off_rate, off_ms), (on_rate, on_ms) = (map(median, zip(*found, strict=True)) for found in (off, on))
        table.add_row(
            kind, f"{off_rate:,.0f}", f"{on_rate:,.0f}", f"{rate:.2f}", f"{off_ms:.2f}", f"{on_ms:.2f}",
            f"{cost:.2f}", f"{goal:.2f}",
        )  # fmt: skip
    return table


def main() -> None:
    measured = asyncio.run(measure())
    console = Console()
    console.print(compared(measured, goal=GOAL_ON))
    spent_ms = sum(
        median(ms for _, ms in found)
        for (kind, label), found in measured.items()
        if label == "off" and "GET" not in kind
    )
    each_us = cost_of_a_span_off_us()
    share = 1 - each_us * SPANS_OF_A_SUBMISSION / 1000 / spent_ms
    console.print(
        f"Off, a span costs {each_us:.2f} µs: {SPANS_OF_A_SUBMISSION} for each submission leave "
        f"{share:.4f} of its rate (goal {GOAL_OFF}).",
        highlight=False,
    )


if __name__ == "__main__":
    asyncio.run(sink())
