from functools import partial

import msgspec

from bindery.actions.webhooks.find_webhook import WebhookAsk, find_active_webhook
from bindery.contract.webhooks import PingResponse
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.webhooks import deliveries


async def ping_webhook(database: Database, ask: WebhookAsk) -> bytes:
    """Queue a ping and return the answer's JSON.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_ping, tx, ask))


async def _ping(tx: Tx, ask: WebhookAsk) -> bytes:
    webhook = await find_active_webhook(tx, ask)
    message_id = await deliveries.add_ping(tx, webhook.webhook_id)
    return msgspec.json.encode(PingResponse(event_id=str(message_id)))
