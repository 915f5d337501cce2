"""Claims on deliveries are leases: they end by time, and nothing is recorded over another one's claim."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from aiohttp import web

from bindery.actions.webhooks.claim_deliveries import (
    LEASE,
    SEND_WITHIN_S,
    claim_deliveries,
    release_deliveries,
)
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.actions.webhooks.record_tries import record_tries
from bindery.actions.webhooks.send_delivery import ANSWER_WITHIN_S, open_session, send_delivery
from bindery.worker import deliveries as worker_deliveries
from bindery.worker.deliveries import _Deliveries, run_deliveries
from support.receiver import Received, receiving
from support.service import Service
from support.telling import change, deliveries_to, move_clock, published, register


async def end_leases(service: Service) -> None:
    """Expire every lease."""
    await service.runtime.database.pool.execute(
        "update deliveries set claimed_until = claimed_until - $1::interval", LEASE
    )


def test_a_lease_covers_the_wait_for_a_turn_and_for_an_answer() -> None:
    assert timedelta(seconds=SEND_WITHIN_S + ANSWER_WITHIN_S) < LEASE


async def test_what_a_dead_worker_held_is_sent_by_another_when_its_lease_is_over(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        (quote,) = await published(service)
        (held,) = await claim_deliveries(service.runtime, under_way={}, limit=10)
        before = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await end_leases(service)

        count = await deliver_due(service.runtime)

    assert held.claimed.endpoint == receiver.url
    assert (before, count) == ([], 1)
    assert receiver.got[0].json["data"]["quote_identifier"] == quote


async def test_a_lease_is_in_real_time_however_far_the_business_clock_is_moved(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        await published(service)
        held = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await move_clock(service, timedelta(days=400))

        again = await claim_deliveries(service.runtime, under_way={}, limit=10)

    assert (len(held), again) == (1, [])
    left_s = await service.runtime.database.pool.fetchval(
        "select extract(epoch from claimed_until - now())::float from deliveries"
    )
    assert 0 < left_s <= LEASE.total_seconds()


async def test_the_next_event_of_a_quote_waits_for_one_that_is_held(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        (quote,) = await published(service)
        held = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await change(service, quote)

        meanwhile = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await end_leases(service)
        await deliver_due(service.runtime)

    assert (len(held), meanwhile) == (1, [])
    assert [received.json["data"]["sequence"] for received in receiver.got] == [1, 2]


async def test_a_worker_that_lost_its_lease_records_nothing_over_the_other_one_s_claim(
    service: Service,
) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await published(service)
        (slow,) = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await end_leases(service)
        (quick,) = await claim_deliveries(service.runtime, under_way={}, limit=10)

        async with open_session(service.runtime.settings) as session:
            tried = await send_delivery(service.runtime.clock, session, slow)
        failed = replace(tried, status=500)
        await record_tries(service.runtime.database, service.runtime.rules, [tried])
        await record_tries(service.runtime.database, service.runtime.rules, [failed])
        (between,) = await deliveries_to(service, webhook_id)
        await record_tries(
            service.runtime.database, service.runtime.rules, [replace(tried, claimed=quick.claimed)]
        )
        (after,) = await deliveries_to(service, webhook_id)

    assert slow.claimed.delivery_id == quick.claimed.delivery_id
    assert (between["status"], between["attempts"]) == ("pending", [])
    assert (after["status"], len(after["attempts"])) == ("delivered", 1)


async def test_a_result_is_still_taken_while_nobody_else_has_the_claim(service: Service) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await published(service)
        (late,) = await claim_deliveries(service.runtime, under_way={}, limit=10)
        async with open_session(service.runtime.settings) as session:
            tried = await send_delivery(service.runtime.clock, session, late)

        await record_tries(service.runtime.database, service.runtime.rules, [tried])

        (delivery,) = await deliveries_to(service, webhook_id)
    assert delivery["status"] == "delivered"


async def test_releasing_gives_back_one_s_own_claims_and_no_other_one_s(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        await published(service)
        lost = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await end_leases(service)
        taken = await claim_deliveries(service.runtime, under_way={}, limit=10)

        await release_deliveries(service.runtime.database, lost)
        still_held = await claim_deliveries(service.runtime, under_way={}, limit=10)
        await release_deliveries(service.runtime.database, taken)
        free = await claim_deliveries(service.runtime, under_way={}, limit=10)

    assert (len(lost), len(taken), still_held, len(free)) == (1, 1, [], 1)


async def test_a_loop_that_stops_gives_back_what_it_could_not_finish(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_deliveries, "GRACE_S", 0.2)
    async with receiving() as receiver:
        await register(service, receiver.url)
        hanging = asyncio.Event()

        async def hang(_: Received) -> web.Response:
            await hanging.wait()
            return web.Response()

        receiver.answer = hang
        await published(service)
        stop = asyncio.Event()
        loop = asyncio.create_task(run_deliveries(service.runtime, stop))
        await receiver.wait_for(1, within_s=60)
        stop.set()
        await loop
        hanging.set()

        free = await claim_deliveries(service.runtime, under_way={}, limit=10)

    assert len(free) == 1


async def test_what_waited_too_long_for_its_turn_is_not_sent_under_a_lease_that_may_end(
    service: Service,
) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await published(service)
        (delivery,) = await claim_deliveries(service.runtime, under_way={}, limit=10)
        async with open_session(service.runtime.settings) as session:
            loop = _Deliveries(service.runtime, session)

            loop._take_in([replace(delivery, send_by=time.monotonic())])
            sending = len(loop._sending)

        (waiting,) = await deliveries_to(service, webhook_id)
    assert (sending, receiver.got) == (0, [])
    assert (waiting["status"], waiting["attempts"]) == ("pending", [])
