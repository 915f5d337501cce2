"""Five hundred open pages on one process: how soon news reaches them, and the API next to them."""

import asyncio
import contextlib
import hashlib
import itertools
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg
import msgspec
import psutil
from rich.console import Console
from rich.table import Table

from bench.burst import running
from bench.intake import free_port, post_maker, prepare, wait_until_up
from bench.load import Load, fire, http_request, median
from bindery.outside import embedded_postgres
from bindery.settings import Environment, Settings
from bindery.storage.live import DESK, MOST_STREAMS_OF_A_USER
from bindery.web.sign_in_cookie import cookie_name

STREAMS: Final = 500
NEWS: Final = 5
MOST_MB: Final = 20
SECONDS: Final = 3.0
MEGABYTE: Final = 1024 * 1024

_USERS = """
with people as (
    insert into users (email, name, role, created_at)
    select 'crowd-' || number || '@example.com', 'Crowd ' || number, 'underwriter', now()
    from generate_series(1, $1) as number returning user_id
), numbered as (
    select user_id, row_number() over (order by user_id) as place from people
)
insert into sign_ins (token_sha256, user_id, created_at, seen_at, expires_at, address, browser, confirmed_at)
select sha, user_id, now(), now(), now() + interval '1 day', '', '', now()
from unnest($2::bytea[]) with ordinality as given(sha, place) join numbered using (place)
"""


@dataclass
class Crowd:
    """Browsers that listen, and when each heard the last news."""

    streams: int
    heard: dict[int, float] = field(default_factory=dict)
    here: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, place: int, port: int, token: str, cookie: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"GET /live HTTP/1.1\r\nHost: bench\r\nCookie: {cookie}={token}\r\n\r\n".encode())
            while line := await reader.readline():
                if line.startswith(b": here"):
                    self.here += 1
                elif line.startswith(b"data: desk"):
                    self.heard[place] = time.perf_counter()
                else:
                    continue
                self.changed.set()
        finally:
            writer.close()

    async def until_all_are_here(self) -> None:
        while self.here < self.streams:
            self.changed.clear()
            await self.changed.wait()

    async def until_all_heard(self) -> float:
        """Wait until all heard, and return when the last one did."""
        while len(self.heard) < self.streams:
            self.changed.clear()
            await self.changed.wait()
        return max(self.heard.values())


@dataclass
class Found:
    """The results of that many streams; times in seconds."""

    bytes_of_streams: int
    news: list[float]
    api: dict[str, Load]


@contextlib.asynccontextmanager
async def listening(dsn: str, port: int, streams: int) -> AsyncIterator[Crowd]:
    """Open that many streams, ten for each of as many users as that takes."""
    users = -(-streams // MOST_STREAMS_OF_A_USER)
    tokens = [f"token-of-the-crowd-{number}" for number in range(users)]
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(_USERS, users, [hashlib.sha256(token.encode()).digest() for token in tokens])
    finally:
        await connection.close()
    cookie = cookie_name(Settings(environment=Environment.DEMO))
    crowd = Crowd(streams)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(crowd.listen(place, port, tokens[place // MOST_STREAMS_OF_A_USER], cookie))
            for place in range(streams)
        ]
        await crowd.until_all_are_here()
        yield crowd
        for task in tasks:
            task.cancel()


async def tell(connection: "asyncpg.Connection[asyncpg.Record]", crowd: Crowd) -> float:
    """Announce a case to everybody, and return how long it took to reach the last one."""
    submission_id = await connection.fetchval("select submission_id::text from submissions limit 1")
    crowd.heard.clear()
    began = time.perf_counter()
    await connection.execute("select pg_notify($1, $2)", DESK, submission_id)
    return await crowd.until_all_heard() - began


async def measure(streams: int = STREAMS, news: int = NEWS, seconds: float = SECONDS) -> Found:
    """Ask the API without the streams, next to them, and while they are told something."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        dsn = (await asyncio.to_thread(embedded_postgres.ensure_running, folder)).dsn
        try:
            token, environment = await prepare(dsn, folder, Environment.DEMO)
            with running(["serve", "--port", str(port)], environment) as process:
                await wait_until_up(port)
                return await _measure(dsn, port, token, process.pid, streams, news, seconds)
        finally:
            embedded_postgres.stop(folder)


async def _measure(
    dsn: str, port: int, token: str, pid: int, streams: int, news: int, seconds: float
) -> Found:
    warm = await fire(port, post_maker(token), seconds=0.5, keep=20)
    receipts = [msgspec.json.decode(body) for body in warm.bodies]
    reads = itertools.cycle(
        http_request("GET", f"/v2/quotes/{quote['quote_identifier']}", token)
        for receipt in receipts
        for quote in receipt["quotes"]
    )

    async def ask() -> Load:
        return await fire(port, lambda: next(reads), seconds=seconds, connections=2)

    await ask()
    api = {"no streams": await ask()}
    before = _bytes_of(pid)
    connection = await asyncpg.connect(dsn)
    try:
        async with listening(dsn, port, streams) as crowd:
            taken = _bytes_of(pid) - before
            api[f"{streams} streams"] = await ask()
            told = [await tell(connection, crowd) for _ in range(news)]
            asking = asyncio.create_task(ask())
            while not asking.done():
                told.append(await tell(connection, crowd))
            api[f"{streams} streams that hear all the time"] = await asking
    finally:
        await connection.close()
    return Found(taken, told, api)


def _bytes_of(pid: int) -> int:
    """Return the memory that a process and its children have to themselves."""
    process = psutil.Process(pid)
    return sum(member.memory_full_info().uss for member in (process, *process.children(recursive=True)))


def main() -> None:
    """Print what was found."""
    found = asyncio.run(measure())
    table = Table("GET of a quote, at the same time", "a second", "median ms", "p95 ms", "failed", box=None)
    for name, load in found.api.items():
        table.add_row(
            name,
            f"{load.per_second:,.0f}",
            f"{load.percentile(0.5) * 1000:.1f}",
            f"{load.percentile(0.95) * 1000:.1f}",
            str(load.failures),
        )
    console = Console()
    console.print(table)
    console.print(
        f"{STREAMS} streams took {found.bytes_of_streams / MEGABYTE:.1f} MB of {MOST_MB}. News reached the "
        f"last of them after {median(found.news) * 1000:.0f} ms, at worst {max(found.news) * 1000:.0f}, of "
        "which 100 gather it.",
        highlight=False,
    )


if __name__ == "__main__":
    main()
