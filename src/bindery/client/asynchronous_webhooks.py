"""Webhooks for asyncio, written by hand; `make docs` writes `plain_webhooks.py` from it."""

from abc import ABC, abstractmethod
from datetime import datetime
from typing import TypeVar

from bindery.client import calls
from bindery.client.call import ApiCall
from bindery.client.calls import Key
from bindery.contract.webhooks import (
    DeliveriesResponse,
    FailResponse,
    PingResponse,
    RegisteredWebhook,
    ReplayResponse,
    SecretResponse,
    WebhookBody,
    WebhookRegistration,
    WebhooksResponse,
)

T = TypeVar("T")


class AsyncWebhooks(ABC):
    """The part of the client that registers webhooks and looks after what is delivered to them."""

    async def set_webhook_secret(self) -> SecretResponse:
        """Make a new secret; the previous one also signs for 24 hours."""
        return await self.send(calls.post(SecretResponse, "settings", "webhook_secret", repeatable=False))

    async def list_webhooks(self) -> WebhooksResponse:
        """List the webhooks, the oldest first."""
        return await self.send(calls.get(WebhooksResponse, "webhooks"))

    async def register_webhook(
        self,
        endpoint: str,
        *,
        quote_level: bool = True,
        policy_level: bool = True,
        idempotency_key: Key = None,
    ) -> RegisteredWebhook:
        """Register an endpoint for quote-level events, policy-level events or both."""
        asked = WebhookRegistration(endpoint=endpoint, quote_level=quote_level, policy_level=policy_level)
        return await self.send(calls.write(RegisteredWebhook, "webhooks", body=asked, key=idempotency_key))

    async def remove_webhook(self, webhook_id: str) -> WebhookBody:
        """Remove a webhook; what is still waiting for it is not sent any more."""
        return await self.send(calls.delete(WebhookBody, "webhooks", webhook_id))

    async def list_deliveries(
        self, webhook_id: str, *, cursor: str | None = None, limit: int | None = None
    ) -> DeliveriesResponse:
        """Get a page of the deliveries to a webhook, with every try."""
        return await self.send(calls.list_deliveries(webhook_id, cursor, limit))

    async def replay_deliveries(
        self,
        webhook_id: str,
        *,
        event_id: str | None = None,
        since: datetime | None = None,
        idempotency_key: Key = None,
    ) -> ReplayResponse:
        """Send one event again, or everything since a time."""
        asked = calls.replay_deliveries(webhook_id, event_id=event_id, since=since, key=idempotency_key)
        return await self.send(asked)

    async def ping_webhook(self, webhook_id: str, *, idempotency_key: Key = None) -> PingResponse:
        """Deliver a ping to a webhook."""
        return await self.send(calls.write(PingResponse, "webhooks", webhook_id, "ping", key=idempotency_key))

    async def fail_webhook(self, webhook_id: str, times: int) -> FailResponse:
        """Make the next tries of deliveries to a webhook fail."""
        return await self.send(calls.fail_webhook(webhook_id, times))

    @abstractmethod
    async def send(self, call: ApiCall[T]) -> T:
        """Send a call, and read the answer."""
