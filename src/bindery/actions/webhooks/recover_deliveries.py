from datetime import datetime

from bindery.actions.webhooks.find_webhook import WebhookAsk, find_active_webhook
from bindery.actions.webhooks.read_events import place_all_events
from bindery.actions.webhooks.replay_since import MOST_REPLAYED
from bindery.storage.database import Database
from bindery.storage.webhooks import deliveries, delivery_view


async def recover_deliveries(database: Database, ask: WebhookAsk, since: datetime) -> int:
    """Send again what failed for good since a time and did not get there since; return how many.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    async with database.transaction() as tx:
        webhook = await find_active_webhook(tx, ask)
        await place_all_events(tx, ask.caller.partner_id)
        found = await delivery_view.failed_since(tx, webhook.webhook_id, since, limit=MOST_REPLAYED)
        await deliveries.replay(tx, webhook.webhook_id, found)
        return len(found)
