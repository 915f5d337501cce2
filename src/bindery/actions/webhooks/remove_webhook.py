from bindery.actions.webhooks.find_webhook import read_webhook_id, unknown_webhook
from bindery.storage.database import Database
from bindery.storage.webhooks import webhooks
from bindery.storage.webhooks.webhooks import Webhook


async def remove_webhook(database: Database, identifier: str, *, partner_id: int) -> Webhook:
    """Remove a partner's webhook; what is pending for it is not sent any more.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    webhook_id = read_webhook_id(identifier)
    async with database.transaction() as tx:
        removed = await webhooks.remove(tx, webhook_id, partner_id=partner_id)
    if removed is None:
        raise unknown_webhook(identifier)
    return removed
