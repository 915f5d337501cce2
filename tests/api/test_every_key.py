"""Every operation that takes an `Idempotency-Key` answers it a second time as it did the first."""

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import httpx
import pytest

from bindery.api.operations import OPERATIONS
from support.binding import issue, one_quoted, set_day
from support.intake import changed
from support.service import Service
from support.uploads import send_file

KEY = "order-17"
Send = Callable[[], Awaitable[httpx.Response]]
HOOK = {
    "endpoint": "http://127.0.0.1:9/hook",
    "headers": {},
    "quote_level": True,
    "policy_level": True,
}


def posting(service: Service, path: str, body: Any = None) -> Send:
    return lambda: service.post(path, body, Idempotency_Key=KEY)


async def submitting(service: Service) -> Send:
    return posting(service, "/v2/quotes", changed())


async def binding(service: Service) -> Send:
    quote = await one_quoted(service)
    body = {
        "quote_identifier": quote["quote_identifier"],
        "dates": {"effective": quote["dates"]["effective"]},
        "app_attestation": False,
    }
    return posting(service, "/v2/binds", body)


async def withdrawing(service: Service) -> Send:
    quote = await one_quoted(service)
    return posting(service, f"/v2/quotes/{quote['quote_identifier']}/withdraw", {"reason": "Not needed"})


async def pausing(service: Service) -> Send:
    policy = await issue(service, await one_quoted(service))
    return posting(service, f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")


async def resuming(service: Service) -> Send:
    policy = await issue(service, await one_quoted(service))
    await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    return posting(service, f"/v2/quotes/{policy['quote_identifier']}/resume_renewal")


async def asking_for_a_renewal(service: Service) -> Send:
    policy = await issue(service, await one_quoted(service))
    await set_day(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=90))
    return posting(service, f"/v2/quotes/{policy['quote_identifier']}/request_renewal")


async def canceling(service: Service) -> Send:
    policy = await issue(service, await one_quoted(service))
    body = {"effective": policy["dates"]["effective"], "reason": "business_sold"}
    return posting(service, f"/v2/quotes/{policy['quote_identifier']}/request_cancellation", body)


async def change_of_a_policy(service: Service) -> tuple[str, dict[str, Any]]:
    policy = await issue(service, await one_quoted(service))
    body = {
        "effective": policy["dates"]["effective"],
        "changes": {"dba": "Lamplight Bread"},
        "reason": "A new shop.",
    }
    return f"/v2/policies/{policy['quote_identifier']}/changes", body


async def asking_for_a_change(service: Service) -> Send:
    return posting(service, *await change_of_a_policy(service))


async def accepting_a_change(service: Service) -> Send:
    path, body = await change_of_a_policy(service)
    change = (await service.post(path, body)).json()
    return posting(service, f"{path}/{change['change_id']}/accept")


async def withdrawing_a_change(service: Service) -> Send:
    path, body = await change_of_a_policy(service)
    change = (await service.post(path, body)).json()
    return posting(service, f"{path}/{change['change_id']}/withdraw")


async def uploading(service: Service) -> Send:
    quote = await one_quoted(service)
    return lambda: send_file(
        service, {"quote_identifier": quote["quote_identifier"]}, b"%PDF-1.7 a paper", key=KEY
    )


async def asking_for_a_signature(service: Service) -> Send:
    quote = await one_quoted(service)
    path = f"/v2/quotes/{quote['quote_identifier']}/signature_requests"
    return posting(service, path, {"email": "ann@harborlight.example"})


async def registering(service: Service) -> Send:
    return posting(service, "/v2/webhooks", HOOK)


async def replaying(service: Service) -> Send:
    hook = (await service.post("/v2/webhooks", HOOK)).json()
    body = {"since": "2026-01-01T00:00:00Z"}
    return posting(service, f"/v2/webhooks/{hook['id']}/replay", body)


async def pinging(service: Service) -> Send:
    hook = (await service.post("/v2/webhooks", HOOK)).json()
    return posting(service, f"/v2/webhooks/{hook['id']}/ping")


SENDING: dict[str, Callable[[Service], Awaitable[Send]]] = {
    "create_quotes": submitting,
    "bind_quote": binding,
    "withdraw_quote": withdrawing,
    "pause_renewal": pausing,
    "resume_renewal": resuming,
    "request_renewal": asking_for_a_renewal,
    "request_cancellation": canceling,
    "ask_for_change": asking_for_a_change,
    "accept_change": accepting_a_change,
    "withdraw_change": withdrawing_a_change,
    "upload_document": uploading,
    "request_signature": asking_for_a_signature,
    "register_webhook": registering,
    "replay_deliveries": replaying,
    "ping_webhook": pinging,
}
COUNTED = (
    "quotes",
    "journal",
    "binds",
    "uploads",
    "webhooks",
    "deliveries",
    "idempotency_keys",
    "client_links",
    "policy_changes",
    "premium_transactions",
)


async def counts(service: Service) -> list[int]:
    return [await service.count(table) for table in COUNTED]


def test_every_operation_that_takes_a_key_is_tried_here() -> None:
    assert set(SENDING) == {operation.name for operation in OPERATIONS if operation.takes_key}


@pytest.mark.parametrize("name", SENDING)
async def test_a_request_sent_twice_under_a_key_has_one_effect_and_one_answer(
    service: Service, name: str
) -> None:
    send = await SENDING[name](service)

    first = await send()
    before = await counts(service)
    again = await send()

    assert first.is_success, first.text
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert await counts(service) == before
