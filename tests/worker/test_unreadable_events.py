"""An event that cannot be read back is the trouble of its own delivery."""

import asyncio
import uuid

from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.worker.deliveries import run_deliveries
from support.receiver import receiving
from support.service import Service
from support.telling import published, register


async def spoil(service: Service, quote: str) -> None:
    """Make the events of a quote unreadable, past the trigger that keeps the journal as it was written."""
    async with service.runtime.database.connection() as connection, connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        await connection.execute("update journal set data = '{' where quote_id = $1", uuid.UUID(quote))


async def test_the_rest_of_the_batch_goes_out(service: Service) -> None:
    async with receiving() as receiver:
        await register(service, receiver.url)
        first, spoiled, last = await published(service, 3)
        await spoil(service, spoiled)
        stop = asyncio.Event()
        loop = asyncio.create_task(run_deliveries(service.runtime, stop))
        try:
            await receiver.wait_for(2, within_s=30)
        finally:
            stop.set()
            await loop

    assert {received.json["data"]["quote_identifier"] for received in receiver.got} == {first, last}


async def test_the_unreadable_one_is_a_failed_try(service: Service) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        (spoiled,) = await published(service)
        await spoil(service, spoiled)

        await deliver_due(service.runtime)

        (failed,) = await service.runtime.database.pool.fetch(
            "select d.tries, d.claimed_until, a.status, a.error from deliveries d "
            "join delivery_attempts a using (delivery_id) where d.webhook_id = $1",
            uuid.UUID(webhook_id),
        )
    assert tuple(failed) == (1, None, None, "the delivery could not be sent: its event cannot be read")
    assert receiver.got == []
