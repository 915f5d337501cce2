import uuid

from bindery.actions.webhooks.find_webhook import find_webhook
from bindery.storage.database import Database
from bindery.storage.webhooks import webhooks


async def fail_next_tries(database: Database, identifier: str, *, partner_id: int, times: int) -> uuid.UUID:
    """Make the next tries to deliver to a webhook fail, and return its id; only the demo does so.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    async with database.transaction() as tx:
        webhook = await find_webhook(tx, identifier, partner_id=partner_id)
        await webhooks.fail_next(tx, webhook.webhook_id, times)
    return webhook.webhook_id
