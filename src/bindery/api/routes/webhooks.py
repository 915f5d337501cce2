"""Webhooks: where a partner is told, with which secret, and how that went."""

from starlette.responses import Response

from bindery.actions.webhooks.register_webhook import (
    RegisterAsk,
    WebhookAsk,
    fail_next_tries,
    find_webhook,
    register_webhook,
    remove_webhook,
    show_webhook,
)
from bindery.actions.webhooks.replay_since import ping_webhook, replay_event, replay_since
from bindery.actions.webhooks.set_webhook_secret import set_webhook_secret
from bindery.api.bodies import BodyDecoder
from bindery.api.call import Call, json_response
from bindery.api.list_filters import not_a_time
from bindery.api.query import cursor, whole_number
from bindery.base.clock import in_utc
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.webhooks import (
    DeliveriesResponse,
    FailRequest,
    FailResponse,
    ReplayRequest,
    WebhookRegistration,
    WebhooksResponse,
)
from bindery.storage.list_pages import Cursor
from bindery.storage.webhooks import delivery_view, webhooks

MOST_DELIVERIES = 100
DELIVERIES_UNLESS_ASKED = 50

_registration = BodyDecoder(WebhookRegistration)
_replay = BodyDecoder(ReplayRequest)
_fail = BodyDecoder(FailRequest)


async def set_secret(call: Call) -> Response:
    """Make a new secret and show it this once."""
    return json_response(await set_webhook_secret(call.runtime, call.partner.partner_id))


async def list_webhooks(call: Call) -> Response:
    """List the partner's webhooks."""
    async with call.runtime.database.reading() as tx:
        found = await webhooks.of_partner(tx, call.partner.partner_id)
    return json_response(WebhooksResponse(webhooks=[show_webhook(webhook) for webhook in found]))


async def register(call: Call) -> Response:
    """Register an endpoint."""
    body = await call.read_json()
    caller = call.caller(body)
    decoded = _registration.require(body)
    ask = RegisterAsk(
        caller=caller,
        registration=decoded.value,
        unknown_fields=decoded.unknown,
    )
    return json_response(await register_webhook(call.runtime, ask))


async def remove(call: Call) -> Response:
    """Remove a webhook."""
    identifier = call.identifier("identifier")
    removed = await remove_webhook(call.runtime.database, identifier, partner_id=call.partner.partner_id)
    return json_response(show_webhook(removed))


async def list_deliveries(call: Call) -> Response:
    """Show what became of the deliveries to a webhook."""
    identifier = call.identifier("identifier")
    limit = whole_number(call, "limit", unless_given=DELIVERIES_UNLESS_ASKED, most=MOST_DELIVERIES)
    before = cursor(call, "cursor")
    after = None if before is None else Cursor(before)
    async with call.runtime.database.reading() as tx:
        webhook = await find_webhook(tx, identifier, partner_id=call.partner.partner_id)
        page = await delivery_view.list_deliveries(tx, webhook.webhook_id, cursor=after, limit=limit)
    return json_response(DeliveriesResponse(deliveries=list(page.rows), next_cursor=page.next))


async def replay(call: Call) -> Response:
    """Send one event, or all since a time, again."""
    body = await call.read_json()
    asked = _replay.require(body).value
    ask = _webhook_ask(call, body)
    if (asked.event_id is None) == (asked.since is None):
        flaw = "give either event_id or since, not both"
        raise InvalidRequest.because([Problem("", "one_of_two", flaw)])
    if asked.event_id is not None:
        return json_response(await replay_event(call.runtime.database, ask, asked.event_id))
    assert asked.since is not None, "one of the two is given"
    since = in_utc(asked.since)
    if since is None:
        raise InvalidRequest.because([not_a_time("since")])
    return json_response(await replay_since(call.runtime.database, ask, since))


async def ping(call: Call) -> Response:
    """Queue a ping for delivery."""
    return json_response(await ping_webhook(call.runtime.database, _webhook_ask(call, b"")))


async def fail(call: Call) -> Response:
    """Make the next tries fail; demo only."""
    asked = _fail.require(await call.read_json()).value
    webhook_id = await fail_next_tries(
        call.runtime.database,
        call.identifier("identifier"),
        partner_id=call.partner.partner_id,
        times=asked.times,
    )
    return json_response(FailResponse(id=str(webhook_id), times=asked.times))


def _webhook_ask(call: Call, body: bytes) -> WebhookAsk:
    return WebhookAsk(caller=call.caller(body), identifier=call.identifier("identifier"))
