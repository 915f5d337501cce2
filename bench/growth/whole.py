"""What goes through everything or looks at all of it: `bindery journal verify`, the feed, the dashboard."""

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.load import median
from bindery.domain.access.users import Role
from bindery.storage.events import FeedQuery, page
from support.people import sign_in_as
from support.service import Service

EVENTS_READ: Final = 20_000
EVENTS_AT_ONCE: Final = 500
BYTES_OF_A_KILOBYTE: Final = 1_024
DASHBOARDS: Final = 15


@dataclass(frozen=True)
class Verified:
    """How the command went: how much it read, in what time and with how much memory at the most."""

    quotes: int
    entries: int
    flaws: int
    seconds: float
    peak_mb: float


async def verify_journals(service: Service) -> Verified:
    """Run `bindery journal verify` on a service's database."""
    return await asyncio.to_thread(_run_verify, service)


def _run_verify(service: Service) -> Verified:
    settings = service.runtime.settings
    program = str(Path(sys.executable).with_name("bindery"))
    began = time.perf_counter()
    process = subprocess.Popen(
        [program, "journal", "verify", "--json"],
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "BINDERY_ENVIRONMENT": "demo",
            "BINDERY_DATABASE_URL": service.runtime.dsn,
            "BINDERY_SECRET_KEY": settings.secret_key,
            "BINDERY_DATA_DIR": str(settings.data_dir),
        },
    )
    assert process.stdout is not None
    with process.stdout as answer:
        told = json.loads(answer.read())
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return Verified(
        quotes=told["quotes"],
        entries=told["entries"],
        flaws=len(told["flaws"]),
        seconds=time.perf_counter() - began,
        peak_mb=used.ru_maxrss / BYTES_OF_A_KILOBYTE,
    )


@dataclass(frozen=True)
class FeedRead:
    """Events a second at both ends of the feed, page after page."""

    oldest: float
    newest: float


async def read_feed(service: Service) -> FeedRead:
    """Read the first and the last events of the partner, page after page."""
    row = await service.runtime.database.pool.fetchrow("select partner_id, last_position from feeds")
    assert row is not None
    partner_id, end = row

    async def read(after: int) -> float:
        began, count = time.perf_counter(), 0
        while count < EVENTS_READ:
            async with service.runtime.database.reading() as tx:
                found = await page(tx, partner_id, FeedQuery(after=after, limit=EVENTS_AT_ONCE))
            if not found:
                break
            count, after = count + len(found), found[-1][0]
        return count / (time.perf_counter() - began)

    return FeedRead(oldest=await read(0), newest=await read(max(0, end - EVENTS_READ)))


async def open_dashboard(service: Service) -> float:
    """Return how many milliseconds an operator waits for the dashboard of 90 days."""
    waited = []
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        for _ in range(DASHBOARDS):
            began = time.perf_counter()
            await operator.open("/ops?days=90")
            waited.append((time.perf_counter() - began) * 1000)
    return median(waited)
