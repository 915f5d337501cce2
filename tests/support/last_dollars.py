"""Many who bind at once, for the last dollars of a binder's limit."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx

from support.binding import ask_to_bind, one_quoted
from support.book import binder_file, import_file, named
from support.service import Service

DEADLOCKS = "select deadlocks from pg_stat_database where datname = current_database()"


@dataclass(frozen=True)
class Race:
    fits: int
    premium: int
    """Of each bind."""
    answers: Counter[int]
    outcomes: Counter[str]
    seconds: float


async def race(service: Service, count: int, **binder: object) -> Race:
    """Bind so many quotes of one premium at once, where there is room for a third of them, less a dollar."""
    quotes = [await one_quoted(service, named(number)) for number in range(count)]
    (premium,) = {quote["premium"] for quote in quotes}
    fits = count // 3
    room = binder_file(premium_limit=premium * (fits + 1) - 1, **binder)
    assert await import_file(service, room) == []
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(500):
        answers = await asyncio.gather(*(answered_bind(service, quote) for quote in quotes))
    return Race(
        fits,
        premium,
        Counter(answer.status_code for answer in answers),
        Counter(row["quote_status"] for answer in answers for row in answer.json().get("quotes", ())),
        asyncio.get_running_loop().time() - began,
    )


async def answered_bind(service: Service, quote: dict[str, Any]) -> httpx.Response:
    """Ask until the answer is not that the service is too busy for one now."""
    answer = await ask_to_bind(service, quote)
    return await answered_bind(service, quote) if answer.status_code == 503 else answer


@asynccontextmanager
async def without_deadlocks(dsn: str) -> AsyncIterator[None]:
    """Check that nobody who comes and goes in the block waits for whoever waits for them.

    A deadlock is answered 503, and who asks again is served all the same.
    """
    connection = await asyncpg.connect(dsn)
    try:
        before = await connection.fetchval(DEADLOCKS)
        yield
        # Sessions tell of theirs as they end.
        assert await connection.fetchval(DEADLOCKS) == before
    finally:
        await connection.close()
