"""Deliveries while workers are killed: nothing lost, in order, hardly anything twice.

`make soak` is the long version with `FIRE_QUOTES=370`: 50,000 deliveries and a kill for every 2,500.
"""

import asyncio
import contextlib
import itertools
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from support.processes import Program, Running
from support.receiver import Received, receiving
from support.service import SECRET, Service
from support.telling import change, new_secret, published, register

pytestmark = pytest.mark.long

ENDPOINTS = 50
DEAD = 5
SLOW = 3
QUOTES = int(os.environ.get("FIRE_QUOTES", "20"))
IS_LONG = QUOTES > 100
EVENTS = 3
SLOW_S = 0.2
KILL_AT = [number / 20 for number in range(1, 19)] if IS_LONG else (0.15, 0.4, 0.7)
"""After which part of the deliveries the next worker is killed."""


@contextlib.contextmanager
def worker(service: Service, folder: Path) -> Iterator[Running]:
    program = Program(
        folder,
        {
            "BINDERY_DATABASE_URL": service.runtime.dsn,
            "BINDERY_SECRET_KEY": SECRET,
            "BINDERY_LOG_LEVEL": "error",
        },
    )
    with program.start("work") as running:
        yield running


async def test_every_live_endpoint_gets_every_event_in_order_though_workers_are_killed(
    service: Service, tmp_path: Path
) -> None:
    secret = await new_secret(service)
    live = ENDPOINTS - DEAD
    expected = live * QUOTES * EVENTS
    async with receiving() as receiver:

        async def answer(received: Received) -> web.Response:
            if "/dead/" in received.path:
                return web.Response(status=500)
            await asyncio.sleep(SLOW_S if "/slow/" in received.path else 0)
            return web.Response()

        receiver.answer = answer
        kinds = ["dead"] * DEAD + ["slow"] * SLOW + ["fast"] * (live - SLOW)
        for number, kind in enumerate(kinds):
            await register(service, f"{receiver.url}/{kind}/{number}")
        quotes = await published(service, QUOTES)
        # Nobody works on these submissions: the quotes are walked along by hand.
        await service.runtime.database.pool.execute("delete from pgq.pgqueuer")
        for quote in quotes:
            await change(service, quote, times=EVENTS - 1)

        with contextlib.ExitStack() as workers:
            first = workers.enter_context(worker(service, tmp_path))
            second = workers.enter_context(worker(service, tmp_path))
            alive = [first, second]
            for share in KILL_AT:
                await receiver.wait_for(int(expected * share), within_s=240)
                alive.pop(0).kill()
                alive.append(workers.enter_context(worker(service, tmp_path)))
            async with asyncio.timeout(300):
                while await _live_left(service):  # noqa: ASYNC110 - the database tells nobody
                    await asyncio.sleep(0.1)

    told: defaultdict[str, list[Received]] = defaultdict(list)
    for received in receiver.got:
        if "/dead/" not in received.path:
            told[received.path].append(received)
    events = await _ids_of_the_feed(service)
    assert len(events) == QUOTES * EVENTS
    assert len(told) == live
    assert all({received.id for received in row} == events for row in told.values())
    assert [path for path, row in told.items() if not _is_in_order(row)] == []
    twice = sum(len(row) for row in told.values()) - expected
    # What a killed worker had on its way is sent again, and what a starved one was too slow to record. Three
    # kills weigh heavily on so few deliveries; of many no more than one per cent may come twice.
    assert twice < expected // (100 if IS_LONG else 4)
    sample = told[next(iter(told))][-1]
    Webhook(secret).verify(sample.body, sample.headers)


async def _ids_of_the_feed(service: Service) -> set[str]:
    ids: set[str] = set()
    after = ""
    while True:
        page = (await service.get(f"/v2/events?limit=500{after}")).json()
        if not page["events"]:
            return ids
        ids |= {event["id"] for event in page["events"]}
        after = f"&after={page['next_cursor']}"


def _is_in_order(row: list[Received]) -> bool:
    """Whether each quote's events came in order: a delivery may come twice, but never after the next."""
    by_quote: defaultdict[str, list[int]] = defaultdict(list)
    for received in row:
        data = received.json["data"]
        by_quote[data["quote_identifier"]].append(data["sequence"])
    return all(
        earlier <= later
        for sequences in by_quote.values()
        for earlier, later in itertools.pairwise(sequences)
    )


async def _live_left(service: Service) -> int:
    count: int = await service.runtime.database.pool.fetchval(
        """
        select count(*) from deliveries d join webhooks w using (webhook_id)
        where w.endpoint not like '%/dead/%'
        """
    )
    return count
