"""Operations about webhooks and the event feed."""

from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Link, Operation, Parameter
from bindery.api.operations.demo import DEMO_ONLY
from bindery.api.routes import events, webhooks
from bindery.contract.errors import ErrorBody
from bindery.contract.events import EventsResponse
from bindery.contract.examples import EXAMPLE_ENDPOINT, EXAMPLE_WEBHOOK
from bindery.contract.vocabulary import EventLevel
from bindery.contract.webhooks import (
    DeliveriesResponse,
    FailRequest,
    FailResponse,
    PingResponse,
    ReplayRequest,
    ReplayResponse,
    SecretResponse,
    WebhookBody,
    WebhookRegistration,
    WebhooksResponse,
)

WEBHOOK_ID: Final = Parameter(
    "identifier", "path", "The webhook's `id`.", common.IDENTIFIER.schema, EXAMPLE_WEBHOOK
)
UNKNOWN_WEBHOOK: Final = Answer("There is no such webhook, or it is another partner's.", ErrorBody)
REFUSED: Final = Answer("There is no such webhook, it is disabled, or the request breaks a rule.", ErrorBody)
_CURSOR: Final = {"type": "string", "minLength": 1, "maxLength": 18, "pattern": "^(0|[1-9][0-9]*)$"}
_NEXT: Final = {"identifier": "$response.body#/id"}


def _limit(most: int, unless_given: int) -> Parameter:
    schema = {"type": "integer", "format": "int64", "minimum": 1, "maximum": most, "default": unless_given}
    return Parameter("limit", "query", "How many to return at most.", schema, unless_given)


OPERATIONS: Final = (
    Operation(
        method="POST",
        path="/v2/settings/webhook_secret",
        name="set_webhook_secret",
        summary="Make a new webhook secret",
        description="The secret signs every delivery of the partner, and is shown this once. The one before "
        "signs along for 24 hours. Takes no `Idempotency-Key`: each call makes a new secret.",
        tag="webhooks",
        handler=webhooks.set_secret,
        answers={
            200: Answer("The new secret.", SecretResponse),
            400: common.BAD_REQUEST,
        },
    ),
    Operation(
        method="GET",
        path="/v2/webhooks",
        name="list_webhooks",
        summary="List your webhooks",
        description="Those that are registered and those that were disabled; removed ones are not listed.",
        tag="webhooks",
        handler=webhooks.list_webhooks,
        answers={
            200: Answer("The webhooks, the oldest first.", WebhooksResponse),
            400: common.BAD_REQUEST,
        },
    ),
    Operation(
        method="POST",
        path="/v2/webhooks",
        name="register_webhook",
        summary="Register a webhook",
        description="An endpoint that is registered already takes the new levels, and is enabled again if it "
        "was disabled. A partner without a secret gets one that nobody has seen: "
        "`POST /settings/webhook_secret` makes one to verify with.",
        tag="webhooks",
        handler=webhooks.register,
        takes_key=True,
        body=WebhookRegistration,
        example={"endpoint": EXAMPLE_ENDPOINT, "quote_level": True, "policy_level": True},
        answers={
            200: Answer("The webhook.", WebhookBody),
            400: Answer("The endpoint may not be delivered to, or the body breaks a rule.", ErrorBody),
        },
        links=(
            Link("ping_webhook", "Try it.", _NEXT),
            Link("list_deliveries", "See how deliveries fare.", _NEXT),
            Link("replay_deliveries", "Send what happened before.", _NEXT, {"since": "2026-08-15T00:00:00Z"}),
            Link("remove_webhook", "Remove it again.", _NEXT),
        ),
    ),
    Operation(
        method="DELETE",
        path="/v2/webhooks/{identifier}",
        name="remove_webhook",
        summary="Remove a webhook",
        description="What is still waiting for it is not sent any more.",
        tag="webhooks",
        handler=webhooks.remove,
        parameters=(WEBHOOK_ID,),
        answers={
            200: Answer("The webhook as it was, with the status `removed`.", WebhookBody),
            400: UNKNOWN_WEBHOOK,
        },
    ),
    Operation(
        method="GET",
        path="/v2/webhooks/{identifier}/deliveries",
        name="list_deliveries",
        summary="See how deliveries fared",
        description="Every try with its time, status, duration and the first characters of the answer; "
        "kept for 90 days.",
        tag="webhooks",
        handler=webhooks.list_deliveries,
        parameters=(
            WEBHOOK_ID,
            _limit(webhooks.MOST_DELIVERIES, webhooks.DELIVERIES_UNLESS_ASKED),
            Parameter("cursor", "query", "The `next_cursor` of the page before.", _CURSOR, "1042"),
        ),
        answers={
            200: Answer("The deliveries, the newest first.", DeliveriesResponse),
            400: REFUSED,
        },
    ),
    Operation(
        method="POST",
        path="/v2/webhooks/{identifier}/replay",
        name="replay_deliveries",
        summary="Send events again",
        description="One event by `event_id`, or everything the webhook is subscribed to that happened "
        "`since` a time. What is still waiting is tried at once instead of a second time.",
        tag="webhooks",
        handler=webhooks.replay,
        takes_key=True,
        parameters=(WEBHOOK_ID,),
        body=ReplayRequest,
        example={"since": "2026-08-15T00:00:00Z"},
        answers={
            200: Answer("How many are on their way.", ReplayResponse),
            400: REFUSED,
        },
    ),
    Operation(
        method="POST",
        path="/v2/webhooks/{identifier}/ping",
        name="ping_webhook",
        summary="Try a webhook",
        description="Delivers an event of the type `webhook.ping`, signed and retried like any other; "
        "`GET /webhooks/{identifier}/deliveries` shows how it fared.",
        tag="webhooks",
        handler=webhooks.ping,
        takes_key=True,
        parameters=(WEBHOOK_ID,),
        answers={
            200: Answer("The ping is on its way.", PingResponse),
            400: REFUSED,
        },
    ),
    Operation(
        method="GET",
        path="/v2/events",
        name="list_events",
        summary="Read the event feed",
        description="Everything that happened to your quotes and policies, in order, whether or not a "
        "webhook was told. Start without `after`, keep `next_cursor`, and go on from there.",
        tag="webhooks",
        handler=events.list_events,
        parameters=(
            Parameter(
                "after",
                "query",
                "The `next_cursor` of the page before; the beginning without it.",
                _CURSOR,
                "0",
            ),
            Parameter(
                "quote_identifier",
                "query",
                "Only events of this quote.",
                common.IDENTIFIER.schema,
                common.IDENTIFIER.example,
            ),
            Parameter(
                "type",
                "query",
                "Only events of this type.",
                {"$ref": "#/components/schemas/EventType"},
                "quote.published",
            ),
            Parameter(
                "level",
                "query",
                "Only events of this level.",
                {"type": "string", "enum": [level.value for level in EventLevel]},
                "quote",
            ),
            _limit(events.MOST_EVENTS, events.EVENTS_UNLESS_ASKED),
        ),
        answers={
            200: Answer("A page of the feed.", EventsResponse),
            400: common.BAD_REQUEST,
        },
        links=(
            Link("list_events", "The next page.", {"after": "$response.body#/next_cursor"}),
            Link(
                "get_quote",
                "The quote of the first event.",
                {"identifier": "$response.body#/events/0/data/quote_identifier"},
            ),
        ),
    ),
    Operation(
        method="POST",
        path="/v2/demo/webhooks/{identifier}/fail",
        name="fail_webhook",
        summary="Make deliveries fail",
        description="The next `times` tries to this webhook fail without being sent.",
        tag="demo",
        handler=webhooks.fail,
        parameters=(WEBHOOK_ID,),
        body=FailRequest,
        example={"times": 2},
        environments=DEMO_ONLY,
        answers={
            200: Answer("What will fail.", FailResponse),
            400: REFUSED,
        },
    ),
)
