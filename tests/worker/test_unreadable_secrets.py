"""A webhook secret that cannot be opened is the trouble of its own partner."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.domain.messages.webhooks import RETRY_WAITS
from bindery.worker.deliveries import run_deliveries
from support.receiver import receiving
from support.service import Service
from support.telling import deliveries_to, new_secret, published, register
from support.telling import move_clock as move


async def lose_the_key(partner: Service) -> None:
    """Make a partner's secrets look sealed with a key that nobody has."""
    await partner.runtime.database.pool.execute(
        "update webhook_secrets set sealed = '\\x00000000'::bytea || substring(sealed from 5) "
        "where partner_id = $1",
        partner.partner.partner_id,
    )


async def forget_the_secrets(partner: Service) -> None:
    await partner.runtime.database.pool.execute(
        "delete from webhook_secrets where partner_id = $1", partner.partner.partner_id
    )


@pytest.mark.parametrize("break_secret", [lose_the_key, forget_the_secrets])
async def test_other_partners_are_delivered_to_all_the_same(
    service: Service, break_secret: Callable[[Service], Awaitable[None]]
) -> None:
    other = await service.new_partner("well")
    async with receiving() as broken, receiving() as well:
        await register(service, broken.url)
        await register(other, well.url)
        await published(service, 3)
        await published(other, 3)
        await break_secret(service)
        stop = asyncio.Event()
        loop = asyncio.create_task(run_deliveries(service.runtime, stop))
        try:
            await well.wait_for(3, within_s=30)
        finally:
            stop.set()
            await loop

    assert broken.got == []


async def test_the_attempt_says_why_and_is_made_again(service: Service) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await published(service)
        await lose_the_key(service)
        await deliver_due(service.runtime)
        (failed,) = await deliveries_to(service, webhook_id)
        await new_secret(service)
        await move(service, RETRY_WAITS[0] * 1.1)

        await deliver_due(service.runtime)

        (delivered,) = await deliveries_to(service, webhook_id)
    (attempt,) = failed["attempts"]
    assert failed["status"] == "pending"
    assert (attempt["status_code"], attempt["error"]) == (
        None,
        "the delivery could not be signed: no webhook secret can be opened",
    )
    assert delivered["status"] == "delivered"
    assert len(receiver.got) == 1


async def test_a_secret_that_opens_signs_beside_one_that_does_not(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        await lose_the_key(service)
        await new_secret(service)
        await published(service)

        await deliver_due(service.runtime)

    (received,) = receiver.got
    assert len(received.headers["webhook-signature"].split(" ")) == 1


@pytest.mark.parametrize(
    ("break_secret", "reason"),
    [(lose_the_key, "BINDERY_OLD_SECRET_KEYS"), (forget_the_secrets, "The partner has no webhook secret.")],
)
async def test_the_alarm_is_raised_once_a_batch_and_partner(
    service: Service,
    log_lines: Callable[[], list[dict[str, Any]]],
    break_secret: Callable[[Service], Awaitable[None]],
    reason: str,
) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        await register(service, f"{receiver.url}/second")
        await new_secret(service)
        await published(service, 3)
        await break_secret(service)

        await deliver_due(service.runtime)

    (alarm,) = [line for line in log_lines() if line["event"] == "webhook_secret_unreadable"]
    assert (alarm["level"], alarm["partner_id"]) == ("error", service.partner.partner_id)
    assert reason in alarm["reason"]
