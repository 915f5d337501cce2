"""The pipeline under load: one worker on a full queue, then 2,000 submissions in ten seconds."""

import asyncio
import contextlib
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.intake import five_options, free_port, prepare, wait_until_up
from bench.load import fire, http_request
from bindery.outside import embedded_postgres
from bindery.settings import Environment

QUEUED = 400
SUBMISSIONS = 2_000
IN_SECONDS = 10.0
CONNECTIONS = 32
GOAL_S = 40.0


@dataclass
class Burst:
    """When each submission was sent and when all its options were published, in seconds from the start."""

    sent: list[float]
    published: list[float]
    get_p99_s: float
    sent_within_s: float

    @property
    def waits(self) -> list[float]:
        return sorted(done - began for began, done in zip(self.sent, self.published, strict=True))


@dataclass
class Results:
    queue_rate: float
    burst: Burst


@contextlib.contextmanager
def running(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    program = str(Path(sys.executable).with_name("bindery"))
    variables = {**os.environ, **environment}
    process = subprocess.Popen([program, *command], env=variables, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


@contextlib.asynccontextmanager
async def service(folder: Path) -> AsyncIterator[tuple[str, int, str, dict[str, str]]]:
    """Run a database and one API process; return DSN, port, token and the environment of a worker."""
    dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
    try:
        token, environment = await prepare(dsn, folder, Environment.DEMO)
        port = free_port()
        with running(["serve", "--port", str(port)], environment):
            await wait_until_up(port)
            yield dsn, port, token, environment
    finally:
        embedded_postgres.stop(folder)


def submissions(token: str) -> Iterator[bytes]:
    body = five_options()
    for number in itertools.count():
        body["client"]["name"] = f"Burst Bakery {number}"
        body["client"]["domains"] = ["clean.example.com"]
        yield http_request("POST", "/v2/quotes", token, msgspec.json.encode(body))


@dataclass
class Client:
    """Sends submissions at a pace over a few connections and remembers when each was sent."""

    port: int
    requests: Iterator[bytes]
    sent: dict[str, float] = field(default_factory=dict)

    async def send(self, count: int, *, in_seconds: float) -> None:
        turns = iter(range(count))
        began = time.perf_counter()

        async def on_one_connection() -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                for turn in turns:
                    await asyncio.sleep(began + turn * in_seconds / count - time.perf_counter())
                    at = time.time()
                    writer.write(next(self.requests))
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                    receipt = msgspec.json.decode(await reader.readexactly(length))
                    self.sent[receipt["quotes"][0]["quote_identifier"]] = at
            finally:
                writer.close()

        await asyncio.gather(*(on_one_connection() for _ in range(CONNECTIONS)))


PUBLISHED = """
select first.quote_id::text, max(j.at) as at
from quotes first
join quotes other using (submission_id)
join journal j on j.quote_id = other.quote_id and j.type = 'quote.published'
where first.quote_id = any($1::uuid[])
group by first.quote_id having count(*) = 5
"""


UNDER_WAY = "select exists (select from quotes where status in ('created', 'aq_created'))"


async def wait_for_published(dsn: str, identifiers: Sequence[str]) -> dict[str, datetime]:
    connection = await asyncpg.connect(dsn)
    ids = [uuid.UUID(identifier) for identifier in identifiers]
    try:
        while await connection.fetchval(UNDER_WAY):  # noqa: ASYNC110 - the database sets no event
            await asyncio.sleep(0.1)
        rows = await connection.fetch(PUBLISHED, ids)
    finally:
        await connection.close()
    return {row["quote_id"]: row["at"] for row in rows}


async def work_off(dsn: str, port: int, token: str, environment: dict[str, str], count: int) -> float:
    """Fill the queue, then let one worker empty it; return submissions a second, first to last."""
    client = Client(port, submissions(token))
    await client.send(count, in_seconds=0)
    with running(["work"], environment):
        published = await wait_for_published(dsn, list(client.sent))
    times = sorted(published.values())
    return (len(times) - 1) / (times[-1] - times[0]).total_seconds()


async def burst(dsn: str, port: int, token: str, environment: dict[str, str], count: int) -> Burst:
    """Send the burst while somebody reads quotes."""
    client = Client(port, submissions(token))
    with running(["work"], environment):
        await asyncio.sleep(2)
        warm = Client(port, submissions(token))
        await warm.send(5, in_seconds=0.5)
        await wait_for_published(dsn, list(warm.sent))
        read = itertools.cycle(
            [http_request("GET", f"/v2/quotes/{identifier}", token) for identifier in warm.sent]
        )
        began = time.time()
        reading = asyncio.create_task(fire(port, lambda: next(read), seconds=IN_SECONDS, connections=2))
        await client.send(count, in_seconds=IN_SECONDS * count / SUBMISSIONS)
        sent_within = time.time() - began
        published = await wait_for_published(dsn, list(client.sent))
        load = await reading
    return Burst(
        sent=[at - began for at in client.sent.values()],
        published=[
            published[identifier].replace(tzinfo=UTC).timestamp() - began for identifier in client.sent
        ],
        get_p99_s=load.percentile(0.99),
        sent_within_s=sent_within,
    )


async def measure(queued: int = QUEUED, count: int = SUBMISSIONS) -> Results:
    with tempfile.TemporaryDirectory() as name, Progress(transient=True) as progress:
        progress.add_task("A full queue, then a burst", total=None)
        async with service(Path(name)) as (dsn, port, token, environment):
            return Results(
                queue_rate=await work_off(dsn, port, token, environment, queued),
                burst=await burst(dsn, port, token, environment, count),
            )


def main() -> None:
    results = asyncio.run(measure())
    waits = results.burst.waits
    console = Console()
    queue = Table("one worker on a full queue", "submissions a second", "goal", box=None)
    queue.add_row(f"{QUEUED} of five options", f"{results.queue_rate:.0f}", "100")
    console.print(queue)
    table = Table("burst", "sent within", "p50", "p90", "last", "goal", "GET p99", "goal", box=None)
    table.add_row(
        f"{len(waits):,} of five options",
        f"{results.burst.sent_within_s:.1f} s",
        f"{waits[len(waits) // 2]:.1f} s",
        f"{waits[int(len(waits) * 0.9)]:.1f} s",
        f"{waits[-1]:.1f} s",
        f"{GOAL_S:.0f} s",
        f"{results.burst.get_p99_s * 1000:.0f} ms",
        "250 ms",
    )
    console.print(table)
