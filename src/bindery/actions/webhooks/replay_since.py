import uuid
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from bindery.actions.webhooks.read_events import place_all_events
from bindery.actions.webhooks.register_webhook import WebhookAsk, find_active_webhook
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import EventLevel
from bindery.contract.webhooks import PingResponse, ReplayResponse
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.operations import deeds
from bindery.storage.webhooks import deliveries, delivery_view, events
from bindery.storage.webhooks.webhooks import Webhook

MOST_REPLAYED: Final = 10_000
"""How many events one call sends again; its answer says where to continue."""


async def replay_since(database: Database, ask: WebhookAsk, since: datetime) -> bytes:
    """Send the webhook's subscribed events since a time again, and return the answer's JSON."""
    async with database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_replay_since, tx, ask, since))


async def _replay_since(tx: Tx, ask: WebhookAsk, since: datetime) -> bytes:
    partner_id = ask.caller.partner_id
    webhook = await find_active_webhook(tx, ask)
    await place_all_events(tx, partner_id)
    found = await events.since(tx, partner_id, at=since, levels=_levels_of(webhook), limit=MOST_REPLAYED + 1)
    chosen = found[:MOST_REPLAYED]
    await deliveries.replay(tx, webhook.webhook_id, [event_id for event_id, _ in chosen])
    next_since = found[MOST_REPLAYED][1] if len(found) > MOST_REPLAYED else None
    return msgspec.json.encode(ReplayResponse(replayed=len(chosen), next_since=next_since))


def _levels_of(webhook: Webhook) -> list[EventLevel]:
    chosen = {EventLevel.QUOTE: webhook.quote_level, EventLevel.POLICY: webhook.policy_level}
    return [level for level, wanted in chosen.items() if wanted]


async def recover_deliveries(
    database: Database, ask: WebhookAsk, since: datetime, *, by: Doer = SERVICE
) -> int:
    """Send again the deliveries that failed for good since a time and never arrived; return how many."""
    async with database.transaction() as tx:
        webhook = await find_active_webhook(tx, ask)
        await place_all_events(tx, ask.caller.partner_id)
        found = await delivery_view.failed_since(tx, webhook.webhook_id, since, limit=MOST_REPLAYED)
        await deliveries.replay(tx, webhook.webhook_id, found)
        await note_on_webhook(tx, by, Deed.EVENTS_RECOVERED, webhook, details=f"{len(found):,} events")
        return len(found)


async def note_on_webhook(tx: Tx, by: Doer, deed: Deed, webhook: Webhook, *, details: str = "") -> None:
    await deeds.append(tx, by, deed, webhook.endpoint, details=details, partner_id=webhook.partner_id)


async def replay_event(
    database: Database, ask: WebhookAsk, event_id: uuid.UUID, *, by: Doer | None = None
) -> bytes:
    """Send an event again; `by` is the operator who does so, and nobody where the partner asks."""
    async with database.transaction() as tx:
        if by is not None:
            webhook = await find_active_webhook(tx, ask)
            await note_on_webhook(tx, by, Deed.EVENT_RESENT, webhook, details=str(event_id))
        return await idempotently(tx, ask.caller, partial(_replay_event, tx, ask, event_id))


async def _replay_event(tx: Tx, ask: WebhookAsk, event_id: uuid.UUID) -> bytes:
    partner_id = ask.caller.partner_id
    webhook = await find_active_webhook(tx, ask)
    await place_all_events(tx, partner_id)
    if not await events.find(tx, event_id, partner_id=partner_id):
        raise InvalidRequest.because([Problem("event_id", "unknown_event", "is not a known event")])
    await deliveries.replay(tx, webhook.webhook_id, [event_id])
    return msgspec.json.encode(ReplayResponse(replayed=1, next_since=None))


async def ping_webhook(database: Database, ask: WebhookAsk, *, by: Doer | None = None) -> bytes:
    """Send a ping; `by` as above."""
    async with database.transaction() as tx:
        if by is not None:
            await note_on_webhook(tx, by, Deed.WEBHOOK_PINGED, await find_active_webhook(tx, ask))
        return await idempotently(tx, ask.caller, partial(_ping, tx, ask))


async def _ping(tx: Tx, ask: WebhookAsk) -> bytes:
    webhook = await find_active_webhook(tx, ask)
    message_id = await deliveries.add_ping(tx, webhook.webhook_id)
    return msgspec.json.encode(PingResponse(event_id=str(message_id)))
