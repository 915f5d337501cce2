from datetime import datetime

from bindery.actions.read_events import place_all_events
from bindery.actions.replay_deliveries import MOST_REPLAYED, WebhookAsk, require_active
from bindery.runtime import Runtime
from bindery.storage import deliveries, delivery_desk


async def recover_deliveries(runtime: Runtime, ask: WebhookAsk, since: datetime) -> int:
    """Send again what failed for good since a time and did not get there since; return how many.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    async with runtime.database.transaction() as tx:
        webhook = await require_active(tx, ask)
        await place_all_events(tx, ask.caller.partner_id)
        found = await delivery_desk.failed_since(tx, webhook.webhook_id, since, limit=MOST_REPLAYED)
        await deliveries.replay(tx, webhook.webhook_id, found)
        return len(found)
