import uuid

from bindery.base.errors import InvalidRequest
from bindery.runtime import Runtime
from bindery.storage import webhooks
from bindery.storage.database import Reader
from bindery.storage.webhooks import Webhook


async def remove_webhook(runtime: Runtime, identifier: str, *, partner_id: int) -> Webhook:
    """Remove a partner's webhook; what is pending for it is not sent any more.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    webhook_id = _read_id(identifier)
    async with runtime.database.transaction() as tx:
        removed = await webhooks.remove(tx, webhook_id, partner_id=partner_id)
    if removed is None:
        raise unknown_webhook(identifier)
    return removed


async def require_webhook(tx: Reader, identifier: str, *, partner_id: int) -> Webhook:
    """Find a partner's webhook.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    webhook = await webhooks.find(tx, _read_id(identifier), partner_id=partner_id)
    if webhook is None:
        raise unknown_webhook(identifier)
    return webhook


def _read_id(identifier: str) -> uuid.UUID:
    try:
        return uuid.UUID(identifier)
    except ValueError:
        raise unknown_webhook(identifier) from None


def unknown_webhook(identifier: str) -> InvalidRequest:
    """Refuse an identifier that no webhook of the partner has."""
    return InvalidRequest(f"There is no webhook {identifier}.", code="unknown_webhook")
