"""Finding a webhook of a partner, and what several actions need to know of it."""

import uuid
from dataclasses import dataclass

from bindery.base.errors import InvalidRequest
from bindery.contract.webhooks import WebhookBody, WebhookStatus
from bindery.domain.access.caller import Caller
from bindery.outside.addresses import PUBLIC_OR_LOOPBACK, AddressRule, public_on_ports
from bindery.settings import Settings
from bindery.storage.database import Database, Reader
from bindery.storage.webhooks import webhooks
from bindery.storage.webhooks.webhooks import Webhook


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAsk:
    """Which webhook is asked about, and who asks."""

    caller: Caller
    identifier: str


async def find_webhook(tx: Reader, identifier: str, *, partner_id: int) -> Webhook:
    """Find a partner's webhook.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    webhook = await webhooks.find(tx, read_webhook_id(identifier), partner_id=partner_id)
    if webhook is None:
        raise unknown_webhook(identifier)
    return webhook


async def find_active_webhook(tx: Reader, ask: WebhookAsk) -> Webhook:
    """Find a partner's webhook that deliveries go to.

    Raises:
        InvalidRequest: the partner has no such webhook, or it is disabled.
    """
    webhook = await find_webhook(tx, ask.identifier, partner_id=ask.caller.partner_id)
    if webhook.status is not WebhookStatus.ACTIVE:
        raise InvalidRequest(
            "The webhook is disabled; register its endpoint again to enable it.", code="webhook_disabled"
        )
    return webhook


def read_webhook_id(identifier: str) -> uuid.UUID:
    """Read the identifier of a webhook.

    Raises:
        InvalidRequest: no webhook can have it.
    """
    try:
        return uuid.UUID(identifier)
    except ValueError:
        raise unknown_webhook(identifier) from None


def unknown_webhook(identifier: str) -> InvalidRequest:
    """Refuse an identifier that no webhook of the partner has."""
    return InvalidRequest(f"There is no webhook {identifier}.", code="unknown_webhook")


def show_webhook(webhook: Webhook) -> WebhookBody:
    """Show a webhook to its partner."""
    return WebhookBody(
        id=str(webhook.webhook_id),
        endpoint=webhook.endpoint,
        quote_level=webhook.quote_level,
        policy_level=webhook.policy_level,
        status=webhook.status,
        created_at=webhook.created_at,
        failing_since=webhook.failing_since,
        disabled_at=webhook.disabled_at,
        disabled_because=webhook.disabled_because,
    )


def address_rule(settings: Settings) -> AddressRule:
    """Return which addresses and ports endpoints may have; the demo takes any port, and this machine."""
    return PUBLIC_OR_LOOPBACK if settings.allows_local_endpoints else public_on_ports(settings.webhook_ports)


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


async def fail_next_tries(database: Database, identifier: str, *, partner_id: int, times: int) -> uuid.UUID:
    """Make the next tries to deliver to a webhook fail, and return its id; only the demo does so.

    Raises:
        InvalidRequest: the partner has no such webhook.
    """
    async with database.transaction() as tx:
        webhook = await find_webhook(tx, identifier, partner_id=partner_id)
        await webhooks.fail_next(tx, webhook.webhook_id, times)
    return webhook.webhook_id
