"""Webhooks and the event feed."""

from starlette.responses import Response

from bindery.actions.webhooks.read_events import read_events
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
from bindery.api.call import Call, json_response
from bindery.api.query import Query, not_a_time
from bindery.base.clock import in_utc
from bindery.base.errors import InvalidRequest, MalformedIdentifier
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.events import EVENT_DATA, EventsResponse
from bindery.contract.vocabulary import EventLevel
from bindery.contract.webhooks import (
    DeliveriesResponse,
    DeliveryBody,
    FailRequest,
    FailResponse,
    ReplayRequest,
    WebhookRegistration,
    WebhooksResponse,
)
from bindery.domain.messages.webhooks import feed_event
from bindery.http.bodies import BodyDecoder
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.webhooks import delivery_view, webhooks
from bindery.storage.webhooks.events import FeedQuery

MOST_EVENTS = 500
EVENTS_UNLESS_ASKED = 100
MOST_DELIVERIES = 100
DELIVERIES_UNLESS_ASKED = 50

_registration = BodyDecoder(WebhookRegistration)
_replay = BodyDecoder(ReplayRequest)
_fail = BodyDecoder(FailRequest)


async def set_secret(call: Call) -> Response:
    return json_response(await set_webhook_secret(call.runtime, call.partner.partner_id))


async def list_webhooks(call: Call) -> Response:
    async with call.runtime.database.reading() as tx:
        found = await webhooks.of_partner(tx, call.partner.partner_id)
    return json_response(WebhooksResponse(webhooks=[show_webhook(webhook) for webhook in found]))


async def register(call: Call) -> Response:
    body = await call.read_json()
    caller = call.caller(body)
    decoded = call.decoded(_registration, body)
    ask = RegisterAsk(
        caller=caller,
        registration=decoded.value,
        unknown_fields=decoded.unknown,
    )
    return json_response(await register_webhook(call.runtime, ask))


async def remove(call: Call) -> Response:
    identifier = call.identifier("identifier")
    removed = await remove_webhook(call.runtime.database, identifier, partner_id=call.partner.partner_id)
    return json_response(show_webhook(removed))


async def list_deliveries(call: Call) -> Response:
    identifier = call.identifier("identifier")
    query = Query(call)
    limit = query.number("limit", unless_given=DELIVERIES_UNLESS_ASKED, most=MOST_DELIVERIES)
    before = query.place("cursor")
    query.check()
    after = None if before is None else Cursor(before)
    partner_id = call.partner.partner_id

    async def read(tx: Reader) -> ListPage[DeliveryBody]:
        webhook = await find_webhook(tx, identifier, partner_id=partner_id)
        return await delivery_view.list_deliveries(tx, webhook.webhook_id, cursor=after, limit=limit)

    page = await call.runtime.database.read(read)
    return json_response(DeliveriesResponse(deliveries=list(page.rows), next_cursor=page.next))


async def replay(call: Call) -> Response:
    body = await call.read_json()
    asked = call.decoded(_replay, body).value
    ask = _webhook_ask(call, body)
    if (asked.event_id is None) == (asked.since is None):
        flaw = "give either event_id or since, not both"
        raise InvalidRequest.at("", "one_of_two", flaw)
    if asked.event_id is not None:
        return json_response(await replay_event(call.runtime.database, ask, asked.event_id))
    assert asked.since is not None, "one of the two is given"
    since = in_utc(asked.since)
    if since is None:
        raise InvalidRequest.because([not_a_time("since")])
    return json_response(await replay_since(call.runtime.database, ask, since))


async def ping(call: Call) -> Response:
    return json_response(await ping_webhook(call.runtime.database, _webhook_ask(call, b"")))


async def list_events(call: Call) -> Response:
    query = Query(call)
    limit = query.number("limit", unless_given=EVENTS_UNLESS_ASKED, most=MOST_EVENTS)
    after = query.place("after") or 0
    event_type = query.one_of("type", EVENT_DATA)
    level = query.choice("level", EventLevel)
    identifier = query.given.get("quote_identifier")
    query.check()
    quote_id = None
    if identifier is not None:
        if not IDENTIFIER_SHAPE.fullmatch(identifier):
            raise MalformedIdentifier("An identifier has 1 to 64 letters, digits, - and _.")
        quote_id = await call.quote_id_of(identifier)
        if quote_id is None:
            return json_response(EventsResponse(events=[], next_cursor=str(after)))
    asked = FeedQuery(after=after, limit=limit, quote_id=quote_id, type=event_type, level=level)
    found = await read_events(call.runtime.database, call.partner.partner_id, asked)
    next_cursor = found[-1][0] if found else after
    return json_response(
        EventsResponse(events=[feed_event(event) for _, event in found], next_cursor=str(next_cursor))
    )


async def fail(call: Call) -> Response:
    asked = call.decoded(_fail, await call.read_json()).value
    webhook_id = await fail_next_tries(
        call.runtime.database,
        call.identifier("identifier"),
        partner_id=call.partner.partner_id,
        times=asked.times,
    )
    return json_response(FailResponse(id=str(webhook_id), times=asked.times))


def _webhook_ask(call: Call, body: bytes) -> WebhookAsk:
    return WebhookAsk(caller=call.caller(body), identifier=call.identifier("identifier"))
