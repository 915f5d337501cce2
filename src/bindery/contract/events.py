"""What partners are told: rows of the feed, bodies of deliveries, and what each type of event says."""

from datetime import date
from functools import cache
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field, structs

from bindery.contract.fields import CompanyId, ContingencyId, Moment, PolicyNumber, QuoteIdentifier, Uuid
from bindery.contract.quote import CanceledPolicy, CorrectionBody, DecisionKind
from bindery.contract.vocabulary import ClosedAs, ContingencyType, EventLevel, QuoteStatus


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


class EventDetails(Struct, frozen=True, kw_only=True):
    """What one type of event adds to what every event says."""


class EventReason(Struct, frozen=True, kw_only=True):
    """Why a person must look at the quote."""

    code: str
    text: Annotated[str, Meta(description="The reason in words.")]


class EventDecision(Struct, frozen=True, kw_only=True):
    """An underwriter's approval of a referral."""

    kind: DecisionKind
    reason: Annotated[str | None, Meta(description="The underwriter's words; null for none.")]
    at: Annotated[Moment, Meta(description="When it was decided.")]


class QuotePublished(EventDetails, frozen=True, kw_only=True):
    """The quote is open: it can be bound until its expiration date."""

    premium: Annotated[int | None, Meta(description="USD, whole dollars.")]
    quote_expiration_date: Annotated[date, Meta(description="The last day to bind.")]
    decision: Annotated[
        EventDecision | UnsetType, Meta(description="The approval, where an underwriter had to decide.")
    ] = UNSET
    corrections: Annotated[
        list[CorrectionBody] | UnsetType,
        Meta(description="With `decision`: the terms that were approved differently from those asked for."),
    ] = UNSET


class QuoteReferred(EventDetails, frozen=True, kw_only=True):
    """An underwriter must decide."""

    reasons: Annotated[list[EventReason], Meta(description="All of them.")]


class QuoteDeclined(EventDetails, frozen=True, kw_only=True):
    """An underwriter declined the quote, or its bind."""

    reason: Annotated[str, Meta(description="The underwriter's words.")]


class QuoteExpired(EventDetails, frozen=True, kw_only=True):
    """The expiration date has passed."""


class QuoteRevoked(EventDetails, frozen=True, kw_only=True):
    """The quote was withdrawn: because the facts changed, by an underwriter, or by the partner."""

    reason: Annotated[
        str,
        Meta(description="`submission_changed`, `withdrawn` by the partner, or the underwriter's words."),
    ]
    text: Annotated[str, Meta(description="The partner's words about a withdrawal; may be empty.")] = ""


class QuoteStale(EventDetails, frozen=True, kw_only=True):
    """Nobody decided the referral in 60 days."""


class QuoteBindRequested(EventDetails, frozen=True, kw_only=True):
    """A bind waits for an underwriter."""

    effective: Annotated[date, Meta(description="The first day of the term.")]
    expiration: Annotated[date, Meta(description="The last day of the term.")]
    premium: Annotated[int | None, Meta(description="USD, whole dollars.")]


class QuoteNotBound(EventDetails, frozen=True, kw_only=True):
    """Another option of the company and line was bound, or its bind requested."""

    instead: Annotated[str, Meta(description="The `quote_identifier` of that option.")] = field(name="for")


class EventContingency(Struct, frozen=True, kw_only=True):
    """A contingency that was added."""

    contingency_id: ContingencyId
    type: ContingencyType
    text: Annotated[str, Meta(description="What is owed, in words.")]


class QuoteContingencyChanged(EventDetails, frozen=True, kw_only=True):
    """A contingency was added, closed or opened again."""

    added: Annotated[EventContingency | UnsetType, Meta(description="The contingency that was added.")] = (
        UNSET
    )
    closed: Annotated[str | UnsetType, Meta(description="Its `contingency_id`.")] = UNSET
    closed_as: Annotated[
        ClosedAs | UnsetType, Meta(description="With `closed`: `fulfilled`, `waived` or `attested`.")
    ] = UNSET
    closed_reason: Annotated[
        str | UnsetType | None, Meta(description="With `closed`: why, if a reason was given.")
    ] = UNSET
    reopened: Annotated[
        str | UnsetType,
        Meta(description="Its `contingency_id`; what came in for it before does not count any more."),
    ] = UNSET
    fulfil_by: Annotated[
        date | UnsetType,
        Meta(description="The new last day of a conditional binder, where this gives it more time."),
    ] = UNSET


class SignatureRequestOpened(EventDetails, frozen=True, kw_only=True):
    """The client opened the link for the first time."""

    signature_request_id: Annotated[Uuid, Meta(description="The signature request.")]
    email: Annotated[str, Meta(description="The address that the link was sent to.")]


class SignatureRequestSigned(EventDetails, frozen=True, kw_only=True):
    """The client signed the application electronically; a bind of the quote issues the policy at once."""

    signature_request_id: Annotated[Uuid, Meta(description="The signature request.")]
    email: Annotated[str, Meta(description="The address that the link was sent to.")]
    name: Annotated[str, Meta(description="Who signed, as typed.")]
    title: Annotated[str, Meta(description="The signer's title, as typed.")]
    document_id: Annotated[Uuid, Meta(description="The signed application among the quote's `uploads`.")]
    sha256: Annotated[str, Meta(description="The SHA-256 of the signed PDF, in hexadecimal.")]


class SignatureRequestDeclined(EventDetails, frozen=True, kw_only=True):
    """The client sent the application back: something in it is wrong."""

    signature_request_id: Annotated[Uuid, Meta(description="The signature request.")]
    email: Annotated[str, Meta(description="The address that the link was sent to.")]
    text: Annotated[str, Meta(description="The client's words about what is wrong.")]


class DocumentReady(EventDetails, frozen=True, kw_only=True):
    """Documents can be downloaded."""

    documents: Annotated[list[str], Meta(description="Their document types.")]
    version: Annotated[int, Meta(ge=1, description="Their version, counted from 1.")]


class PolicyInForce(EventDetails, frozen=True, kw_only=True):
    """There is cover: a conditional binder, or the policy."""

    policy_number: PolicyNumber
    effective: Annotated[date, Meta(description="The first day of the term.")]
    expiration: Annotated[date, Meta(description="The last day of the term.")]
    premium: Annotated[int | None, Meta(description="USD, whole dollars.")]
    conditional: Annotated[bool, Meta(description="Whether contingencies are still open.")]
    fulfil_by: Annotated[
        date | UnsetType, Meta(description="With a conditional binder: the last day before it lapses.")
    ] = UNSET
    reason: Annotated[str | UnsetType, Meta(description="Why, where a person decided.")] = UNSET


class PolicyCanceled(EventDetails, frozen=True, kw_only=True):
    """The policy was canceled."""

    reason: Annotated[str, Meta(description="Why, in words.")]
    effective: Annotated[date, Meta(description="The day from which there is no cover.")]
    returned_premium: Annotated[int, Meta(description="USD, whole dollars.")]
    cancellation: Annotated[CanceledPolicy, Meta(description="Who canceled, why, and the amounts.")]


class PolicyExpired(EventDetails, frozen=True, kw_only=True):
    """The term is over."""

    policy_number: PolicyNumber


class PolicyLapsed(EventDetails, frozen=True, kw_only=True):
    """There is no cover any more: the conditional binder was not fulfilled in time."""

    policy_number: PolicyNumber
    reason: Annotated[str, Meta(description="Why there is no cover any more.")]


class PolicyRenewalOffered(EventDetails, frozen=True, kw_only=True):
    """A renewal was offered; it is bound automatically on the day unless it is paused."""

    renews: Annotated[str, Meta(description="The `quote_identifier` of the policy that it renews.")]
    premium: Annotated[int | None, Meta(description="USD, whole dollars.")]
    quote_expiration_date: Annotated[date, Meta(description="The last day to bind.")]
    decision: Annotated[
        EventDecision | UnsetType, Meta(description="The approval, where an underwriter had to decide.")
    ] = UNSET
    corrections: Annotated[
        list[CorrectionBody] | UnsetType,
        Meta(description="With `decision`: the terms that were approved differently from those asked for."),
    ] = UNSET


class PolicyRenewalPaused(EventDetails, frozen=True, kw_only=True):
    """The policy does not renew automatically any more."""

    policy_number: PolicyNumber


class PolicyRenewalResumed(EventDetails, frozen=True, kw_only=True):
    """The policy renews automatically again."""

    policy_number: PolicyNumber


class PolicyCancellationRequested(EventDetails, frozen=True, kw_only=True):
    """The partner asked to cancel the policy, which stays in force until an underwriter decides."""

    effective: Annotated[date, Meta(description="The day from which there would be no cover.")]
    reason: Annotated[str, Meta(description="Why; one of the insured's reasons.")]
    text: Annotated[str, Meta(description="The partner's words beside the reason; may be empty.")]


class AlertFinding(Struct, frozen=True, kw_only=True):
    """A severe weakness that a scan found."""

    code: Annotated[str, Meta(description="The check that failed.", examples=["RDP_OPEN"])]
    title: Annotated[str, Meta(description="What was found, in words.")]
    severity: Annotated[str, Meta(description="`high` or `critical`.")]
    domain: Annotated[str, Meta(description="The insured domain that it is about.")]
    host: Annotated[str, Meta(description="Where it was found: the domain, or a host under it.")]
    what_to_do: Annotated[str, Meta(description="How to settle it.")]


class PolicySecurityAlert(EventDetails, frozen=True, kw_only=True):
    """A rescan of the insured's domains found something new and severe; the insured has a mail about it.

    Domains are scanned every 30 days while there is cover. A finding is announced once, and again only when
    it was gone in between.
    """

    policy_number: PolicyNumber
    findings: Annotated[list[AlertFinding], Meta(description="What is new and severe, the worst first.")]


PING: Final = "webhook.ping"
"""The type of a delivery that a partner asks for to try an endpoint; it is not an event, nor in the feed."""


class Ping(Struct, frozen=True, kw_only=True):
    """A delivery that was asked for to try an endpoint; it is not an event and not in the feed."""

    webhook_id: Annotated[Uuid, Meta(description="The webhook that was pinged.")]


EVENT_DETAILS: Final[dict[str, type[EventDetails]]] = {
    "quote.published": QuotePublished,
    "quote.referred": QuoteReferred,
    "quote.declined": QuoteDeclined,
    "quote.expired": QuoteExpired,
    "quote.revoked": QuoteRevoked,
    "quote.stale": QuoteStale,
    "quote.bind_requested": QuoteBindRequested,
    "quote.not_bound": QuoteNotBound,
    "quote.contingency_changed": QuoteContingencyChanged,
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
    "policy.cancellation_requested": PolicyCancellationRequested,
    "policy.security_alert": PolicySecurityAlert,
    "policy.document_ready": DocumentReady,
}
"""What each type adds to what every event says."""


@cache
def _whole(details: type[EventDetails]) -> type[Struct]:
    """Return the shape of an event's `data`; what was told by an earlier version may lack any detail."""
    added: list[Any] = [
        (detail.name, detail.type | UnsetType, field(default=UNSET, name=detail.encode_name))
        for detail in structs.fields(details)
    ]
    doc = {"__doc__": details.__doc__}
    return defstruct(details.__name__, added, bases=(EventData,), namespace=doc, frozen=True, kw_only=True)


EVENT_DATA: Final = {name: _whole(details) for name, details in EVENT_DETAILS.items()}
"""What the `data` of each type holds."""
