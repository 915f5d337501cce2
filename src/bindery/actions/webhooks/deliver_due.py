"""Delivering to webhooks in three stages: claim, send, record.

No transaction is open while anything is sent. A worker that dies between sending and recording makes the
delivery happen twice, never not at all: its claims end by themselves and others send what it held.
A fault of one delivery is recorded as the failure of that one.
"""

import asyncio
from ssl import SSLContext

from bindery.actions.webhooks.claim_deliveries import BATCH, claim_deliveries
from bindery.actions.webhooks.record_tries import record_tries
from bindery.actions.webhooks.send_delivery import open_session, send_delivery
from bindery.outside.guarded_connect import Resolve, system_resolve
from bindery.runtime import Runtime
from bindery.storage.webhooks import delivery_claims


async def deliver_due(
    runtime: Runtime, *, resolve: Resolve = system_resolve, tls: SSLContext | None = None
) -> int:
    """Deliver until nothing is due, and wait for other workers' deliveries; return how many were tried."""
    count = 0
    were_under_way = True
    async with runtime.database.reading() as tx:
        if not await delivery_claims.anything_due(tx):
            return count
    async with open_session(runtime.settings, resolve=resolve, tls=tls) as session:
        while True:
            deliveries = await claim_deliveries(runtime, under_way={}, limit=BATCH)
            if deliveries:
                tries = await asyncio.gather(
                    *(send_delivery(runtime.clock, session, delivery) for delivery in deliveries)
                )
                await record_tries(runtime.database, runtime.rules, tries)
                count += len(tries)
                continue
            async with runtime.database.reading() as tx:
                are_under_way = await delivery_claims.anything_under_way(tx)
            # Deliveries that others released between the claim and this look are still to be claimed.
            if not are_under_way and not were_under_way:
                return count
            were_under_way = are_under_way
            if are_under_way:
                await asyncio.sleep(0.05)
