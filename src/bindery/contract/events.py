"""What partners are told: rows of the feed, bodies of deliveries, and what each type of event says."""

from functools import cache
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field, structs

from bindery.contract.event_details import (
    DocumentReady,
    EventDetails,
    PolicyCanceled,
    PolicyCancellationRequested,
    PolicyChanged,
    PolicyChangeDeclined,
    PolicyExpired,
    PolicyInForce,
    PolicyLapsed,
    PolicyNotRenewed,
    PolicyRenewalOffered,
    PolicyRenewalPaused,
    PolicyRenewalRestored,
    PolicyRenewalResumed,
    PolicySecurityAlert,
    QuoteAmended,
    QuoteBindRequested,
    QuoteContingencyChanged,
    QuoteDeclined,
    QuoteExpired,
    QuoteNotBound,
    QuotePublished,
    QuoteQuestionAsked,
    QuoteQuestionClosed,
    QuoteReferred,
    QuoteRevoked,
    QuoteStale,
    SignatureRequestDeclined,
    SignatureRequestOpened,
    SignatureRequestSigned,
)
from bindery.contract.fields import CompanyId, Moment, QuoteIdentifier, Uuid
from bindery.contract.vocabulary import EventLevel, QuoteStatus


class EventBody(Struct, frozen=True, kw_only=True):
    """The body of a delivery."""

    type: Annotated[str, Meta(examples=["quote.published"])]
    timestamp: Annotated[Moment, Meta(description="When it happened.")]
    data: dict[str, Any]


class FeedEvent(Struct, frozen=True, kw_only=True):
    """A row of the feed; `id` is the `webhook-id` of its deliveries."""

    id: str
    type: Annotated[str, Meta(examples=["quote.published"])]
    timestamp: Annotated[Moment, Meta(description="When it happened, in UTC.")]
    data: Annotated[
        dict[str, Any],
        Meta(description="As in the deliveries: see the webhooks of this document, one for each type."),
    ]


class EventsResponse(Struct, frozen=True, kw_only=True):
    """A page of the feed, the oldest event first."""

    events: Annotated[list[FeedEvent], Meta(description="The events; empty when nothing is new.")]
    next_cursor: Annotated[
        str,
        Meta(
            description="Always given: send it as `after` to continue, now or later when there may be "
            "something new."
        ),
    ]


class EventData(Struct, frozen=True, kw_only=True):
    """What every event says."""

    quote_identifier: QuoteIdentifier
    company_id: CompanyId
    quote_status: Annotated[QuoteStatus, Meta(description="The status that this event led to.")]
    level: EventLevel
    sequence: Annotated[
        int, Meta(ge=1, description="Counts the events of this quote and level, from 1 and without gaps.")
    ]
    renews: Annotated[
        Uuid | UnsetType,
        Meta(description="Of a renewal: the `quote_identifier` of the policy that it renews."),
    ] = UNSET
    metadata: Annotated[
        dict[str, Any] | UnsetType, Meta(description="The partner's own `client.metadata`, if it sent any.")
    ] = UNSET


PING: Final = "webhook.ping"
"""The type of a delivery that a partner asks for to try an endpoint; it is not an event, nor in the feed."""


class Ping(Struct, frozen=True, kw_only=True):
    """A delivery that was asked for to try an endpoint; it is not an event and not in the feed."""

    webhook_id: Annotated[Uuid, Meta(description="The webhook that was pinged.")]


EVENT_DETAILS: Final[dict[str, type[EventDetails]]] = {
    "quote.published": QuotePublished,
    "quote.amended": QuoteAmended,
    "quote.referred": QuoteReferred,
    "quote.declined": QuoteDeclined,
    "quote.expired": QuoteExpired,
    "quote.revoked": QuoteRevoked,
    "quote.stale": QuoteStale,
    "quote.bind_requested": QuoteBindRequested,
    "quote.not_bound": QuoteNotBound,
    "quote.contingency_changed": QuoteContingencyChanged,
    "quote.question_asked": QuoteQuestionAsked,
    "quote.question_closed": QuoteQuestionClosed,
    "quote.document_ready": DocumentReady,
    "signature_request.opened": SignatureRequestOpened,
    "signature_request.signed": SignatureRequestSigned,
    "signature_request.declined": SignatureRequestDeclined,
    "policy.bound": PolicyInForce,
    "policy.issued": PolicyInForce,
    "policy.canceled": PolicyCanceled,
    "policy.expired": PolicyExpired,
    "policy.lapsed": PolicyLapsed,
    "policy.renewal_offered": PolicyRenewalOffered,
    "policy.renewal_paused": PolicyRenewalPaused,
    "policy.renewal_resumed": PolicyRenewalResumed,
    "policy.not_renewed": PolicyNotRenewed,
    "policy.renewal_restored": PolicyRenewalRestored,
    "policy.cancellation_requested": PolicyCancellationRequested,
    "policy.changed": PolicyChanged,
    "policy.change_declined": PolicyChangeDeclined,
    "policy.security_alert": PolicySecurityAlert,
    "policy.document_ready": DocumentReady,
}
"""What each type adds to what every event says."""


@cache
def _whole(details: type[EventDetails]) -> type[Struct]:
    """Return the shape of an event's `data` for reading; what an earlier version told may lack any detail."""
    added: list[Any] = [
        (detail.name, detail.type | UnsetType, field(default=UNSET, name=detail.encode_name))
        for detail in structs.fields(details)
    ]
    doc = {"__doc__": details.__doc__}
    return defstruct(details.__name__, added, bases=(EventData,), namespace=doc, frozen=True, kw_only=True)


EVENT_DATA: Final = {name: _whole(details) for name, details in EVENT_DETAILS.items()}
"""What the `data` of each type holds."""


def promised_details(details: type[EventDetails]) -> tuple[str, ...]:
    """Return the names of the details that every event of a type has."""
    return tuple(detail.encode_name for detail in structs.fields(details) if detail.default is not UNSET)
