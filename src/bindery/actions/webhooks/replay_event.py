import uuid
from functools import partial

import msgspec

from bindery.actions.webhooks.find_webhook import WebhookAsk, find_active_webhook
from bindery.actions.webhooks.read_events import place_all_events
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.webhooks import ReplayResponse
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.webhooks import deliveries, events


async def replay_event(database: Database, ask: WebhookAsk, event_id: uuid.UUID) -> bytes:
    """Send one event again and return the answer's JSON.

    Raises:
        InvalidRequest: the partner has no such webhook or event, or the webhook is disabled.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_replay_event, tx, ask, event_id))


async def _replay_event(tx: Tx, ask: WebhookAsk, event_id: uuid.UUID) -> bytes:
    partner_id = ask.caller.partner_id
    webhook = await find_active_webhook(tx, ask)
    await place_all_events(tx, partner_id)
    if not await events.find(tx, event_id, partner_id=partner_id):
        raise InvalidRequest.because([Problem("event_id", "unknown_event", "is not a known event")])
    await deliveries.replay(tx, webhook.webhook_id, [event_id])
    return msgspec.json.encode(ReplayResponse(replayed=1, next_since=None))
