"""Sending again what a partner asks for: one event, everything since a time, or a ping."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from bindery.actions.read_events import place_all_events
from bindery.actions.remove_webhook import require_webhook
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import EventLevel
from bindery.contract.webhooks import PingResponse, ReplayResponse, WebhookStatus
from bindery.domain.access.caller import Caller
from bindery.runtime import Runtime
from bindery.storage import deliveries, events
from bindery.storage.database import Reader, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.webhooks import Webhook

MOST_REPLAYED: Final = 10_000
"""How many events one call sends again; its answer says where to continue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAsk:
    """Which webhook is asked about, and who asks."""

    caller: Caller
    identifier: str


async def replay_event(runtime: Runtime, ask: WebhookAsk, event_id: uuid.UUID) -> bytes:
    """Send one event again and return the answer's JSON.

    Raises:
        InvalidRequest: the partner has no such webhook or event, or the webhook is disabled.
    """
    async with runtime.database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_replay_event, tx, ask, event_id))


async def _replay_event(tx: Tx, ask: WebhookAsk, event_id: uuid.UUID) -> bytes:
    partner_id = ask.caller.partner_id
    webhook = await require_active(tx, ask)
    await place_all_events(tx, partner_id)
    if not await events.find(tx, event_id, partner_id=partner_id):
        raise InvalidRequest.because([Problem("event_id", "unknown_event", "is not a known event")])
    await deliveries.replay(tx, webhook.webhook_id, [event_id])
    return msgspec.json.encode(ReplayResponse(replayed=1, next_since=None))


async def replay_since(runtime: Runtime, ask: WebhookAsk, since: datetime) -> bytes:
    """Send again what the webhook is subscribed to and happened since a time, and return the answer's JSON.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    async with runtime.database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_replay_since, tx, ask, since))


async def _replay_since(tx: Tx, ask: WebhookAsk, since: datetime) -> bytes:
    partner_id = ask.caller.partner_id
    webhook = await require_active(tx, ask)
    await place_all_events(tx, partner_id)
    found = await events.since(tx, partner_id, at=since, levels=levels_of(webhook), limit=MOST_REPLAYED + 1)
    chosen = found[:MOST_REPLAYED]
    await deliveries.replay(tx, webhook.webhook_id, [event_id for event_id, _ in chosen])
    next_since = found[MOST_REPLAYED][1] if len(found) > MOST_REPLAYED else None
    return msgspec.json.encode(ReplayResponse(replayed=len(chosen), next_since=next_since))


async def ping_webhook(runtime: Runtime, ask: WebhookAsk) -> bytes:
    """Queue a ping and return the answer's JSON.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    async with runtime.database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_ping, tx, ask))


async def _ping(tx: Tx, ask: WebhookAsk) -> bytes:
    webhook = await require_active(tx, ask)
    message_id = await deliveries.add_ping(tx, webhook.webhook_id)
    return msgspec.json.encode(PingResponse(event_id=str(message_id)))


def levels_of(webhook: Webhook) -> list[EventLevel]:
    """Return the levels a webhook is subscribed to."""
    chosen = {EventLevel.QUOTE: webhook.quote_level, EventLevel.POLICY: webhook.policy_level}
    return [level for level, wanted in chosen.items() if wanted]


async def require_active(tx: Reader, ask: WebhookAsk) -> Webhook:
    """Find a partner's webhook that deliveries go to.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    webhook = await require_webhook(tx, ask.identifier, partner_id=ask.caller.partner_id)
    if webhook.status is not WebhookStatus.ACTIVE:
        raise InvalidRequest(
            "The webhook is disabled; register its endpoint again to enable it.", code="webhook_disabled"
        )
    return webhook
