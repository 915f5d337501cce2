"""Bodies of the operations about webhooks."""

import uuid
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.errors import ErrorProblem
from bindery.contract.fields import Moment, QuoteIdentifier, Uuid


class WebhookStatus(StrEnum):
    """Whether a webhook is delivered to."""

    ACTIVE = "active"
    DISABLED = "disabled"
    REMOVED = "removed"


class DisabledBecause(StrEnum):
    """Why a webhook was disabled."""

    GONE = "gone"
    FAILING = "failing"
    OPERATOR = "operator"


class DeliveryStatus(StrEnum):
    """What has become of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookRegistration(Struct, frozen=True, kw_only=True):
    """An endpoint, and the events it subscribes to."""

    endpoint: Annotated[
        str,
        Meta(
            min_length=8,
            max_length=2048,
            description="Address that receives deliveries: https on the public internet; in the demo also "
            "http and this machine.",
        ),
    ]
    quote_level: Annotated[bool, Meta(description="Subscribe to quote-level events.")]
    policy_level: Annotated[bool, Meta(description="Subscribe to policy-level events.")]


class WebhookBody(Struct, frozen=True, kw_only=True):
    """A webhook and how it fares."""

    id: Annotated[Uuid, Meta(description="Identifies the webhook.")]
    endpoint: Annotated[
        str, Meta(description="Where deliveries go.", extra_json_schema={"format": "uri", "maxLength": 2048})
    ]
    quote_level: Annotated[bool, Meta(description="Whether quote-level events are delivered.")]
    policy_level: Annotated[bool, Meta(description="Whether policy-level events are delivered.")]
    status: WebhookStatus
    created_at: Annotated[Moment, Meta(description="When it was registered.")]
    failing_since: Annotated[
        Moment | None, Meta(description="When it began to fail; null once a delivery succeeds.")
    ]
    disabled_at: Annotated[Moment | None, Meta(description="When it was disabled; null while it is active.")]
    disabled_because: Annotated[
        DisabledBecause | None, Meta(description="`gone`: it answered 410; `failing`: for five days.")
    ]


class RegisteredWebhook(WebhookBody, frozen=True, kw_only=True):
    """A webhook that was just registered."""

    warnings: Annotated[
        list[ErrorProblem],
        Meta(description="Unknown fields of the registration; they are ignored."),
    ]


class WebhooksResponse(Struct, frozen=True, kw_only=True):
    """A partner's webhooks, the oldest first."""

    webhooks: Annotated[list[WebhookBody], Meta(description="The webhooks; empty if there are none.")]


class SecretResponse(Struct, frozen=True, kw_only=True):
    """A new secret, shown only once."""

    secret: Annotated[str, Meta(description="`whsec_` and base64, as Standard Webhooks libraries take it.")]
    created_at: Annotated[Moment, Meta(description="When it was made.")]
    previous_secret_signs_until: Annotated[
        Moment | None, Meta(description="Until then deliveries also carry a signature of the old secret.")
    ]


class AttemptBody(Struct, frozen=True, kw_only=True):
    """One try of a delivery."""

    number: Annotated[int, Meta(description="Counts the tries from 1.")]
    at: Annotated[Moment, Meta(description="When it was sent.")]
    status_code: Annotated[int | None, Meta(description="Null when there was no answer.")]
    error: Annotated[str | None, Meta(description="What went wrong, where there was no answer.")]
    duration_ms: Annotated[int, Meta(description="How long it took, in milliseconds.")]
    answer: Annotated[str, Meta(description="The first characters of the endpoint's answer.")]


class DeliveryBody(Struct, frozen=True, kw_only=True):
    """An event on its way to an endpoint, and every try so far."""

    id: Annotated[str, Meta(description="Identifies the delivery.")]
    event_id: Annotated[Uuid, Meta(description="The event that is delivered: the `webhook-id` header.")]
    type: Annotated[str, Meta(description="The type of the event.")]
    quote_identifier: Annotated[
        QuoteIdentifier | None, Meta(description="The quote that the event is about; null for a ping.")
    ]
    status: DeliveryStatus
    created_at: Annotated[Moment, Meta(description="When it was queued.")]
    next_attempt_at: Annotated[Moment | None, Meta(description="While it is pending.")]
    finished_at: Annotated[
        Moment | None, Meta(description="When it was delivered or given up; null while it is pending.")
    ]
    attempts: Annotated[list[AttemptBody], Meta(description="Every try so far, the oldest first.")]


class DeliveriesResponse(Struct, frozen=True, kw_only=True):
    """A page of deliveries, the newest first."""

    deliveries: Annotated[list[DeliveryBody], Meta(description="The deliveries.")]
    next_cursor: Annotated[str | None, Meta(description="Send it as `cursor`; null on the last page.")]


class ReplayRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to send again: one event, or everything since a time. Exactly one of the two is given."""

    event_id: Annotated[uuid.UUID | None, Meta(description="The event to send again.")] = None
    since: Annotated[
        Moment | None,
        Meta(description="Send again everything that happened at this time or later."),
    ] = None


class ReplayResponse(Struct, frozen=True, kw_only=True):
    """How much is on its way again."""

    replayed: Annotated[int, Meta(description="How many events are on their way again.")]
    next_since: Annotated[
        Moment | None, Meta(description="Where to continue if there was more than one call replays.")
    ]


class PingResponse(Struct, frozen=True, kw_only=True):
    """A ping is on its way; its delivery shows what became of it."""

    event_id: Annotated[Uuid, Meta(description="The `webhook-id` of the ping.")]


class FailRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the next tries are made to fail."""

    times: Annotated[int, Meta(ge=0, le=10_000, description="How many tries to make fail.")]


class FailResponse(Struct, frozen=True, kw_only=True):
    """What will be made to fail."""

    id: Annotated[Uuid, Meta(description="The webhook.")]
    times: Annotated[int, Meta(description="How many tries will be made to fail.")]
