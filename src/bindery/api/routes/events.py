from collections.abc import Iterable

from starlette.responses import Response

from bindery.actions.webhooks.read_events import read_events
from bindery.api.call import Call, json_response
from bindery.api.query import cursor, whole_number
from bindery.base.errors import InvalidRequest, MalformedIdentifier, Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.events import EVENT_DATA, EventsResponse
from bindery.contract.vocabulary import EventLevel
from bindery.domain.messages.webhooks import feed_event
from bindery.storage.webhooks.events import FeedQuery

MOST_EVENTS = 500
EVENTS_UNLESS_ASKED = 100


async def list_events(call: Call) -> Response:
    limit = whole_number(call, "limit", unless_given=EVENTS_UNLESS_ASKED, most=MOST_EVENTS)
    after = cursor(call, "after") or 0
    event_type = _one_of(call, "type", EVENT_DATA)
    level = _one_of(call, "level", EventLevel)
    identifier = call.request.query_params.get("quote_identifier")
    quote_id = None
    if identifier is not None:
        if not IDENTIFIER_SHAPE.fullmatch(identifier):
            raise MalformedIdentifier("An identifier has 1 to 64 letters, digits, - and _.")
        quote_id = await call.quote_id_of(identifier)
        if quote_id is None:
            return json_response(EventsResponse(events=[], next_cursor=str(after)))
    query = FeedQuery(
        after=after,
        limit=limit,
        quote_id=quote_id,
        type=event_type,
        level=EventLevel(level) if level else None,
    )
    found = await read_events(call.runtime.database, call.partner.partner_id, query)
    next_cursor = found[-1][0] if found else after
    return json_response(
        EventsResponse(events=[feed_event(event) for _, event in found], next_cursor=str(next_cursor))
    )


def _one_of(call: Call, name: str, allowed: Iterable[str]) -> str | None:
    text = call.request.query_params.get(name)
    if text is None or text in set(allowed):
        return text
    raise InvalidRequest.because([Problem(name, "not_allowed", f"must be one of {', '.join(allowed)}")])
