"""Operations about webhooks and the event feed."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation, OperationParameter
from bindery.api.operations.demo import DEMO_ONLY
from bindery.api.routes import webhooks
from bindery.contract.events import EventsResponse
from bindery.contract.examples import EXAMPLE_ENDPOINT, EXAMPLE_WEBHOOK
from bindery.contract.fields import EXAMPLE_QUOTE
from bindery.contract.vocabulary import EventLevel
from bindery.contract.webhooks import (
    DeliveriesResponse,
    FailRequest,
    FailResponse,
    PingResponse,
    RegisteredWebhook,
    ReplayRequest,
    ReplayResponse,
    SecretResponse,
    WebhookBody,
    WebhookRegistration,
    WebhooksResponse,
)

WEBHOOK_ID: Final = OperationParameter(
    "identifier", "path", "The webhook's `id`.", common.IDENTIFIER.schema, EXAMPLE_WEBHOOK
)
UNKNOWN_WEBHOOK: Final = common.refusal("There is no such webhook, or it is another partner's.")
REFUSED: Final = common.refusal("There is no such webhook, it is disabled, or the request breaks a rule.")
_CURSOR: Final = {"type": "string", "minLength": 1, "maxLength": 18, "pattern": "^(0|[1-9][0-9]*)$"}
_NEXT: Final = {"identifier": "$response.body#/id"}


_get: Final = partial(Operation, method="GET", tag="webhooks")
_post: Final = partial(Operation, method="POST", tag="webhooks")

OPERATIONS: Final = (
    _post(
        path="/v2/settings/webhook_secret",
        name="set_webhook_secret",
        summary="Make a new webhook secret",
        description="The secret signs every delivery of the partner, and is shown only once. The previous "
        "one also signs for 24 hours. Takes no `Idempotency-Key`: each call makes a new secret.",
        handler=webhooks.set_secret,
        answers={
            200: Answer("The new secret.", SecretResponse),
            400: common.BAD_REQUEST,
        },
    ),
    _get(
        path="/v2/webhooks",
        name="list_webhooks",
        summary="List your webhooks",
        description="Those that are registered and those that were disabled; removed ones are not listed.",
        handler=webhooks.list_webhooks,
        answers={
            200: Answer("The webhooks, the oldest first.", WebhooksResponse),
            400: common.BAD_REQUEST,
        },
    ),
    _post(
        path="/v2/webhooks",
        name="register_webhook",
        summary="Register a webhook",
        description="An endpoint that is registered already takes the new levels, and is enabled again if it "
        "was disabled. A partner without a secret gets one that is never shown: "
        "`POST /settings/webhook_secret` makes one to verify with.",
        handler=webhooks.register,
        takes_key=True,
        body=WebhookRegistration,
        example={"endpoint": EXAMPLE_ENDPOINT, "quote_level": True, "policy_level": True},
        answers={
            200: Answer("The webhook.", RegisteredWebhook),
            400: common.refusal(
                "The endpoint is not allowed to receive deliveries, or the body breaks a rule."
            ),
        },
        links=(
            NextOperation("ping_webhook", "Try it.", _NEXT),
            NextOperation("list_deliveries", "See how deliveries are doing.", _NEXT),
            NextOperation("replay_deliveries", "Send what happened before.", _NEXT),
            NextOperation("remove_webhook", "Remove it again.", _NEXT),
        ),
    ),
    Operation(
        method="DELETE",
        tag="webhooks",
        path="/v2/webhooks/{identifier}",
        name="remove_webhook",
        summary="Remove a webhook",
        description="Deliveries still waiting for it are not sent.",
        handler=webhooks.remove,
        parameters=(WEBHOOK_ID,),
        answers={
            200: Answer("The webhook as it was, with the status `removed`.", WebhookBody),
            400: UNKNOWN_WEBHOOK,
        },
    ),
    _get(
        path="/v2/webhooks/{identifier}/deliveries",
        name="list_deliveries",
        summary="See what became of deliveries",
        description="Every try with its time, status, duration and the first characters of the answer; "
        "kept for 90 days.",
        handler=webhooks.list_deliveries,
        parameters=(
            WEBHOOK_ID,
            common.limit_parameter(webhooks.MOST_DELIVERIES, webhooks.DELIVERIES_UNLESS_ASKED),
            common.query_parameter("cursor", "The `next_cursor` of the previous page.", _CURSOR, "1042"),
        ),
        answers={
            200: Answer("The deliveries, the newest first.", DeliveriesResponse),
            400: REFUSED,
        },
    ),
    _post(
        path="/v2/webhooks/{identifier}/replay",
        name="replay_deliveries",
        summary="Send events again",
        description="One event by `event_id`, or everything the webhook is subscribed to that happened "
        "`since` a time. Events that are still waiting are tried now instead of being sent twice.",
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
    _post(
        path="/v2/webhooks/{identifier}/ping",
        name="ping_webhook",
        summary="Try a webhook",
        description="Delivers an event of the type `webhook.ping`, signed and retried like any other; "
        "`GET /webhooks/{identifier}/deliveries` shows what became of it.",
        handler=webhooks.ping,
        takes_key=True,
        parameters=(WEBHOOK_ID,),
        answers={
            200: Answer("The ping is on its way.", PingResponse),
            400: REFUSED,
        },
    ),
    _get(
        path="/v2/events",
        name="list_events",
        summary="Read the event feed",
        description="Everything that happened to your quotes and policies, in order, whether or not a "
        "webhook was told. Start without `after`, keep `next_cursor`, and continue from there.",
        handler=webhooks.list_events,
        parameters=(
            common.query_parameter(
                "after",
                "The `next_cursor` of the previous page; omit it to start at the beginning.",
                _CURSOR,
                "0",
            ),
            common.query_parameter(
                "quote_identifier", "Only events of this quote.", common.IDENTIFIER.schema, EXAMPLE_QUOTE
            ),
            common.query_parameter(
                "type",
                "Only events of this type.",
                {"$ref": "#/components/schemas/EventType"},
                "quote.published",
            ),
            common.query_parameter("level", "Only events of this level.", common.one_of(EventLevel), "quote"),
            common.limit_parameter(webhooks.MOST_EVENTS, webhooks.EVENTS_UNLESS_ASKED),
        ),
        answers={200: Answer("A page of the feed.", EventsResponse)},
        links=(
            NextOperation("list_events", "The next page.", {"after": "$response.body#/next_cursor"}),
            common.quote_link("The quote of the first event.", "events/0/data"),
        ),
    ),
    _post(
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
