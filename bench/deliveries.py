"""Durable signed deliveries a second, next to a bare aiohttp loop that sends the same and keeps nothing."""

import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import median

import aiohttp
import uvloop
from rich.console import Console
from rich.table import Table

from bench.intake import free_port
from bindery.actions.webhooks.claim_deliveries import claim_deliveries, release_deliveries
from bindery.actions.webhooks.send_delivery import USER_AGENT, prepare_message
from bindery.base.memory import keep_for_good
from bindery.base.signatures import signed_headers
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.outside.partner_http import ANSWER_KEPT_BYTES
from bindery.storage.migrate import migrate
from bindery.worker.deliveries import MOST_SENDING, run_deliveries
from support.service import Service, serving
from support.telling import change, published, register

ROUNDS = 3
WEBHOOKS = 100
EVENTS = 60
GOAL = 0.45


@contextlib.contextmanager
def receiver() -> Iterator[str]:
    """Run the receiver as a process of its own and return its address."""
    port = free_port()
    command = [sys.executable, "-m", "bench.receiver", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
        process.kill()


@contextlib.asynccontextmanager
async def service() -> AsyncIterator[Service]:
    """Open a service on a database that keeps its promises (fsync on)."""
    configure_logs("error")
    with tempfile.TemporaryDirectory() as name:
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, Path(name))).dsn
        try:
            await migrate(dsn)
            async with serving(dsn, Path(name), pool_size=10) as opened:
                keep_for_good()
                yield opened
        finally:
            embedded_postgres.stop(Path(name))


async def ours(place: Service) -> float:
    """Deliver what is pending with the worker's loop, until all of it is recorded; return the rate."""
    pool = place.runtime.database.pool
    count: int = await pool.fetchval("select count(*) from deliveries")
    stop = asyncio.Event()
    started = time.perf_counter()
    loop = asyncio.create_task(run_deliveries(place.runtime, stop))
    while await pool.fetchval("select exists (select from deliveries)"):  # noqa: ASYNC110 - the database tells nobody
        await asyncio.sleep(0.05)
    seconds = time.perf_counter() - started
    stop.set()
    await loop
    return count / seconds


async def bare(place: Service, count: int) -> float:
    """Sign and send as many of the same bodies with nothing but aiohttp, as many at once; return the rate."""
    deliveries = await claim_deliveries(place.runtime, under_way={}, limit=50)
    await release_deliveries(place.runtime.database, deliveries)
    messages = [
        (delivery, prepare_message(delivery, timestamp=int(time.time())).body) for delivery in deliveries
    ]
    left = count

    async def send(session: aiohttp.ClientSession) -> None:
        nonlocal left
        while left > 0:
            left -= 1
            delivery, body = messages[left % len(messages)]
            claimed = delivery.claimed
            headers = signed_headers(
                delivery.secrets, message_id=str(claimed.message_id), timestamp=int(time.time()), body=body
            )
            headers["Content-Type"] = "application/json"
            async with session.post(
                claimed.endpoint, data=body, headers=headers, allow_redirects=False
            ) as answer:
                await answer.content.read(ANSWER_KEPT_BYTES)

    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), headers={"User-Agent": USER_AGENT}
    ) as session:
        started = time.perf_counter()
        await asyncio.gather(*(send(session) for _ in range(MOST_SENDING)))
        return count / (time.perf_counter() - started)


async def measure() -> tuple[float, float, list[float]]:
    """Alternate the two, and return the middle of each and the ratios of each round."""
    durable, floor = [], []
    async with service() as place:
        with receiver() as address:
            for number in range(WEBHOOKS):
                await register(place, f"{address}/{number}")
            for _ in range(ROUNDS):
                for identifier in await published(place, EVENTS // 2):
                    await change(place, identifier)
                floor.append(await bare(place, WEBHOOKS * EVENTS))
                durable.append(await ours(place))
    return median(durable), median(floor), [ours / bare for ours, bare in zip(durable, floor, strict=True)]


def main() -> None:
    # The loop that `bindery work` runs on.
    durable, floor, ratios = uvloop.run(measure())
    table = Table(
        f"{WEBHOOKS} endpoints, {WEBHOOKS * EVENTS:,} deliveries", "a second", "ratio", "goal", box=None
    )
    table.add_row("durable, signed, in order", f"{durable:,.0f}", f"{median(ratios):.2f}", f"{GOAL:.2f}")
    table.add_row("bare aiohttp loop", f"{floor:,.0f}", "1.00", "")
    Console().print(table)
