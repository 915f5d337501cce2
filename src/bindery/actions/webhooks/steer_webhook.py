"""What an operator does to a webhook: send what waits, pause and resume, disable and enable."""

import uuid
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bindery.actions.webhooks.record_tries import disable_webhook
from bindery.actions.webhooks.replay_since import note_on_webhook
from bindery.base.errors import NotFound
from bindery.contract.webhooks import DisabledBecause, WebhookStatus
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.business_rules import BusinessRules
from bindery.storage.database import Database, Tx
from bindery.storage.webhooks import deliveries, webhooks
from bindery.storage.webhooks.webhooks import Webhook


class WebhookStep(StrEnum):
    FLUSH = "flush"
    PAUSE = "pause"
    RESUME = "resume"
    DISABLE = "disable"
    ENABLE = "enable"


DEEDS: Final[Mapping[WebhookStep, Deed]] = {
    WebhookStep.FLUSH: Deed.WEBHOOK_FLUSHED,
    WebhookStep.PAUSE: Deed.WEBHOOK_PAUSED,
    WebhookStep.RESUME: Deed.WEBHOOK_RESUMED,
    WebhookStep.DISABLE: Deed.WEBHOOK_DISABLED,
    WebhookStep.ENABLE: Deed.WEBHOOK_ENABLED,
}


async def steer_webhook(
    database: Database, rules: BusinessRules, webhook_id: uuid.UUID, step: WebhookStep, *, by: Doer
) -> str:
    """Take a step and return what came of it, in a sentence: of two who take it, the second is told so."""
    async with database.transaction() as tx:
        held = await webhooks.hold(tx, webhook_id)
        if held is None:
            raise NotFound("There is no such webhook.")
        webhook, paused_by = held
        refusal = _refusal(webhook, paused_by, step)
        if refusal:
            return refusal
        count = await _take(tx, rules, webhook, step, by)
        details = f"{count:,} events" if step is WebhookStep.FLUSH else ""
        await note_on_webhook(tx, by, DEEDS[step], webhook, details=details)
    return _said(step, count)


def _refusal(webhook: Webhook, paused_by: str | None, step: WebhookStep) -> str:
    """Return why a step leads nowhere from where the webhook is now; empty where it does."""
    is_active = webhook.status is WebhookStatus.ACTIVE
    if step is WebhookStep.ENABLE:
        return "Nothing was done: it is enabled already." if is_active else ""
    if not is_active:
        return f"Nothing was done: it is disabled already ({webhook.disabled_because})."
    if step is WebhookStep.RESUME and paused_by is None:
        return "Nothing was done: it is not paused any more."
    if step in {WebhookStep.PAUSE, WebhookStep.FLUSH} and paused_by is not None:
        return f"Nothing was done: {paused_by} has paused it already."
    return ""


async def _take(tx: Tx, rules: BusinessRules, webhook: Webhook, step: WebhookStep, by: Doer) -> int:
    match step:
        case WebhookStep.FLUSH:
            return await deliveries.make_all_due(tx, webhook.webhook_id)
        case WebhookStep.PAUSE:
            await webhooks.pause(tx, webhook.webhook_id, by=by.name)
        case WebhookStep.RESUME:
            await webhooks.resume(tx, webhook.webhook_id)
        case WebhookStep.DISABLE:
            await disable_webhook(tx, rules, webhook, DisabledBecause.OPERATOR)
        case WebhookStep.ENABLE:
            await webhooks.enable(tx, webhook.webhook_id)
    return 0


def _said(step: WebhookStep, count: int) -> str:
    match step:
        case WebhookStep.FLUSH if count == 0:
            return "Nothing waits for a later try: what is due is on its way."
        case WebhookStep.FLUSH:
            return f"{'1 event goes' if count == 1 else f'{count:,} events go'} out now, in order."
        case WebhookStep.PAUSE:
            return "Paused: events are kept, and go out in order once it is resumed."
        case WebhookStep.RESUME:
            return "Resumed: what was kept goes out now, in order."
        case WebhookStep.DISABLE:
            return "Disabled: nothing is sent to it, and the partner is told by mail."
        case WebhookStep.ENABLE:
            return "Enabled: what was held goes out now, in order."
