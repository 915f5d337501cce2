import asyncio
import socket
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec

from bindery.actions.webhooks.send_delivery import address_rule
from bindery.actions.webhooks.set_webhook_secret import ensure_webhook_secret
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.errors import ErrorProblem
from bindery.contract.webhooks import RegisteredWebhook, WebhookBody, WebhookRegistration, WebhookStatus
from bindery.domain.access.caller import Caller
from bindery.domain.messages.webhooks import check_levels, endpoint_problems, host_and_port
from bindery.outside.addresses import AddressRefused
from bindery.outside.guarded_connect import Resolve, resolve_checked, system_resolve
from bindery.outside.sealing import Sealer
from bindery.runtime import Runtime
from bindery.settings import Settings
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.idempotency import idempotently, replay_or_hold
from bindery.storage.webhooks import webhooks
from bindery.storage.webhooks.webhooks import Webhook

MOST_WEBHOOKS: Final = 100
LOOK_UP_WITHIN_S: Final = 5.0
UNKNOWN_NAMES: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAsk:
    caller: Caller
    identifier: str


async def find_webhook(tx: Reader, identifier: str, *, partner_id: int) -> Webhook:
    webhook = await webhooks.find(tx, _read_webhook_id(identifier), partner_id=partner_id)
    if webhook is None:
        raise _unknown_webhook(identifier)
    return webhook


async def find_active_webhook(tx: Reader, ask: WebhookAsk) -> Webhook:
    webhook = await find_webhook(tx, ask.identifier, partner_id=ask.caller.partner_id)
    if webhook.status is not WebhookStatus.ACTIVE:
        raise InvalidRequest(
            "The webhook is disabled; register its endpoint again to enable it.", code="webhook_disabled"
        )
    return webhook


def _read_webhook_id(identifier: str) -> uuid.UUID:
    try:
        return uuid.UUID(identifier)
    except ValueError:
        raise _unknown_webhook(identifier) from None


def _unknown_webhook(identifier: str) -> InvalidRequest:
    return InvalidRequest(f"There is no webhook {identifier}.", code="unknown_webhook")


def show_webhook(webhook: Webhook) -> WebhookBody:
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


async def remove_webhook(database: Database, identifier: str, *, partner_id: int) -> Webhook:
    """Remove a partner's webhook; its pending deliveries are not sent any more."""
    webhook_id = _read_webhook_id(identifier)
    async with database.transaction() as tx:
        removed = await webhooks.remove(tx, webhook_id, partner_id=partner_id)
    if removed is None:
        raise _unknown_webhook(identifier)
    return removed


async def fail_next_tries(database: Database, identifier: str, *, partner_id: int, times: int) -> uuid.UUID:
    """Make the next tries to deliver to a webhook fail, and return its id; only the demo does so."""
    async with database.transaction() as tx:
        webhook = await find_webhook(tx, identifier, partner_id=partner_id)
        await webhooks.fail_next(tx, webhook.webhook_id, times)
    return webhook.webhook_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterAsk:
    caller: Caller
    registration: WebhookRegistration
    unknown_fields: tuple[Problem, ...]


async def register_webhook(runtime: Runtime, ask: RegisterAsk, *, resolve: Resolve = system_resolve) -> bytes:
    """Check an endpoint, write it down, and return the JSON of the answer.

    An endpoint that is registered already takes the new levels and is active again. The name is looked up
    before anything is written; each delivery checks it again where it connects.
    """
    async with runtime.database.transaction() as tx:
        if (first_answer := await replay_or_hold(tx, ask.caller)) is not None:
            return first_answer
    check_levels(ask.registration)
    await _check_endpoint(runtime.settings, ask.registration.endpoint, resolve)
    async with runtime.database.transaction() as tx:
        return await idempotently(tx, ask.caller, partial(_register, tx, runtime.sealer, ask))


async def _register(tx: Tx, sealer: Sealer, ask: RegisterAsk) -> bytes:
    partner_id = ask.caller.partner_id
    await ensure_webhook_secret(tx, sealer, partner_id)
    registered = await webhooks.register(tx, partner_id, ask.registration)
    if len(await webhooks.of_partner(tx, partner_id)) > MOST_WEBHOOKS:
        flaw = Problem("endpoint", "too_many_webhooks", f"a partner may have {MOST_WEBHOOKS} webhooks")
        raise InvalidRequest.because([flaw])
    return msgspec.json.encode(
        RegisteredWebhook(
            **msgspec.structs.asdict(show_webhook(registered)),
            warnings=[
                ErrorProblem(path=field.path, code=field.code, message=field.message)
                for field in ask.unknown_fields
            ],
        )
    )


async def _check_endpoint(settings: Settings, endpoint: str, resolve: Resolve) -> None:
    is_local = settings.allows_local_endpoints
    ports = None if is_local else settings.webhook_ports
    if found := endpoint_problems(endpoint, allow_http=is_local, ports=ports):
        raise InvalidRequest.because(found)
    host, port = host_and_port(endpoint)
    try:
        async with asyncio.timeout(LOOK_UP_WITHIN_S):
            await resolve_checked(host, port, resolve=resolve, rule=address_rule(settings))
    except AddressRefused:
        flaw = "leads to an address that cannot receive deliveries; it must be on the public internet"
        raise InvalidRequest.because([Problem("endpoint", "address_refused", flaw)]) from None
    except (UnicodeError, socket.gaierror) as fault:
        if isinstance(fault, UnicodeError) or fault.errno in UNKNOWN_NAMES:
            flaw = "names a host that does not exist"
            raise InvalidRequest.because([Problem("endpoint", "unknown_host", flaw)]) from None
        # A name server that is out of reach is no fault of the partner's; every delivery asks again.
    except OSError:
        pass  # as above: nobody answered in time
