"""Bodies of the operations about webhooks."""

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.errors import ErrorProblem


class WebhookStatus(StrEnum):
    """Whether a webhook is delivered to."""

    ACTIVE = "active"
    DISABLED = "disabled"
    REMOVED = "removed"


class DisabledBecause(StrEnum):
    """Why a webhook was disabled."""

    GONE = "gone"
    FAILING = "failing"


class DeliveryStatus(StrEnum):
    """What has become of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookRegistration(Struct, frozen=True, kw_only=True):
    """An endpoint, and what it wants to hear of."""

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

    id: str
    endpoint: str
    quote_level: bool
    policy_level: bool
    status: WebhookStatus
    created_at: datetime
    failing_since: Annotated[
        datetime | None, Meta(description="When it began to fail; null once a delivery succeeds.")
    ]
    disabled_at: datetime | None
    disabled_because: Annotated[
        DisabledBecause | None, Meta(description="`gone`: it answered 410; `failing`: for five days.")
    ]


class RegisteredWebhook(WebhookBody, frozen=True, kw_only=True):
    """A webhook that was just registered."""

    warnings: Annotated[
        list[ErrorProblem],
        Meta(description="Fields of the registration that are not known; they are ignored."),
    ]


class WebhooksResponse(Struct, frozen=True, kw_only=True):
    """A partner's webhooks, the oldest first."""

    webhooks: list[WebhookBody]


class SecretResponse(Struct, frozen=True, kw_only=True):
    """A new secret; it is shown this once."""

    secret: Annotated[str, Meta(description="`whsec_` and base64, as Standard Webhooks libraries take it.")]
    created_at: datetime
    previous_secret_signs_until: Annotated[
        datetime | None, Meta(description="Until then deliveries carry a signature of the old secret too.")
    ]


class AttemptBody(Struct, frozen=True, kw_only=True):
    """One try of a delivery."""

    number: int
    at: datetime
    status_code: Annotated[int | None, Meta(description="Null when there was no answer.")]
    error: Annotated[str | None, Meta(description="What went wrong, where there was no answer.")]
    duration_ms: int
    answer: Annotated[str, Meta(description="The first characters of the endpoint's answer.")]


class DeliveryBody(Struct, frozen=True, kw_only=True):
    """An event on its way to an endpoint, and every try so far."""

    id: str
    event_id: str
    type: str
    quote_identifier: str | None
    status: DeliveryStatus
    created_at: datetime
    next_attempt_at: Annotated[datetime | None, Meta(description="While it is pending.")]
    finished_at: datetime | None
    attempts: list[AttemptBody]


class DeliveriesResponse(Struct, frozen=True, kw_only=True):
    """A page of deliveries, the newest first."""

    deliveries: list[DeliveryBody]
    next_cursor: Annotated[str | None, Meta(description="Send it as `cursor`; null on the last page.")]


class ReplayRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to send again: one event, or everything since a time. Exactly one of the two is given."""

    event_id: uuid.UUID | None = None
    since: Annotated[datetime, Meta(tz=True)] | None = None


class ReplayResponse(Struct, frozen=True, kw_only=True):
    """How much is on its way again."""

    replayed: int
    next_since: Annotated[
        datetime | None, Meta(description="Where to go on when there was more than one call replays.")
    ]


class PingResponse(Struct, frozen=True, kw_only=True):
    """A ping is on its way; its delivery shows how it fared."""

    event_id: str


class FailRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the next tries are made to fail."""

    times: Annotated[int, Meta(ge=0, le=10_000)]


class FailResponse(Struct, frozen=True, kw_only=True):
    """What will be made to fail."""

    id: str
    times: int
