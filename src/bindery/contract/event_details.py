"""What each type of event says, beside what every event says."""

from datetime import date
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from bindery.contract.fields import ContingencyId, Moment, PolicyNumber, Uuid
from bindery.contract.policy_ending import CanceledPolicy, NonrenewalReason
from bindery.contract.quote import CorrectionBody, DecisionKind, QuestionStatus, TermChange
from bindery.contract.vocabulary import ClosedAs, ContingencyType


class EventDetails(Struct, frozen=True, kw_only=True):
    """What one type of event adds to what every event says."""


class EventReason(Struct, frozen=True, kw_only=True):
    """Why a person must look at the quote."""

    code: str
    text: Annotated[str, Meta(description="The reason in words.")]


class EventDecision(Struct, frozen=True, kw_only=True):
    """What an underwriter decided: an approval of a referral, or an amendment."""

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
    sent_back: Annotated[
        str | UnsetType,
        Meta(description="The underwriter's words, where a requested bind was sent back."),
    ] = UNSET


class QuoteQuestionAsked(EventDetails, frozen=True, kw_only=True):
    """An underwriter asks the broker something; the case waits for the answer."""

    question_id: Annotated[Uuid, Meta(description="The question among the `questions` of the quote.")]
    text: Annotated[str, Meta(description="The underwriter's words.")]
    about: Annotated[list[str], Meta(description="Codes of the referral reasons that it is about.")]


class QuoteQuestionClosed(EventDetails, frozen=True, kw_only=True):
    """The broker answered the underwriter's question, or the underwriter goes on without an answer."""

    question_id: Annotated[Uuid, Meta(description="The question among the `questions` of the quote.")]
    closed_as: Annotated[QuestionStatus, Meta(description="`answered` or `withdrawn`.")]
    answer: Annotated[str, Meta(description="The broker's words; empty for a file alone, or no answer.")]
    document_id: Annotated[
        Uuid | None, Meta(description="The file that came with the answer, among the quote's `uploads`.")
    ] = None


class QuoteAmended(EventDetails, frozen=True, kw_only=True):
    """An underwriter changed the open quote, which keeps its identifier and its expiration date."""

    premium: Annotated[int | None, Meta(description="USD, whole dollars.")]
    quote_expiration_date: Annotated[date, Meta(description="The last day to bind.")]
    decision: Annotated[EventDecision, Meta(description="The amendment, with the underwriter's words.")]
    changes: Annotated[list[TermChange], Meta(description="What was changed, from what to what.")]
    corrections: Annotated[
        list[CorrectionBody],
        Meta(description="The terms that are now offered differently from those asked for."),
    ]


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
        Meta(
            description="`submission_changed`, `withdrawn` by the partner, `policy_canceled` or "
            "`policy_not_renewed` where it would have renewed a policy, or the underwriter's words."
        ),
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
    reopened_because: Annotated[
        str | UnsetType,
        Meta(description="With `reopened`: the underwriter's words, if there are any."),
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
    sent_back: Annotated[
        str | UnsetType,
        Meta(description="The underwriter's words, where a requested bind was sent back."),
    ] = UNSET


class PolicyRenewalPaused(EventDetails, frozen=True, kw_only=True):
    """The policy does not renew automatically any more."""

    policy_number: PolicyNumber


class PolicyRenewalResumed(EventDetails, frozen=True, kw_only=True):
    """The policy renews automatically again."""

    policy_number: PolicyNumber


class PolicyNotRenewed(EventDetails, frozen=True, kw_only=True):
    """The insurer does not renew the policy: it ends with its term, and the insured has a notice of it."""

    policy_number: PolicyNumber
    expiration: Annotated[date, Meta(description="The day on which cover ends.")]
    reason: Annotated[NonrenewalReason, Meta(description="Why.")]
    text: Annotated[str, Meta(description="The underwriter's words beside the reason; may be empty.")]
    notified_on: Annotated[date, Meta(description="The day on which the notice was mailed.")]


class PolicyRenewalRestored(EventDetails, frozen=True, kw_only=True):
    """The insurer renews the policy after all: what was told by `policy.not_renewed` holds no longer."""

    policy_number: PolicyNumber
    expiration: Annotated[date, Meta(description="The day on which the term ends that is renewed.")]
    reason: Annotated[str, Meta(description="Why, in the underwriter's words.")]


class PolicyChanged(EventDetails, frozen=True, kw_only=True):
    """The policy is changed during its term: GET the quote for its terms now, `endorsement` for the paper."""

    policy_number: PolicyNumber
    change_id: Annotated[Uuid, Meta(description="Identifies the change.")]
    effective: Annotated[date, Meta(description="The day from which it holds.")]
    changed: Annotated[list[str], Meta(description="The fields that are changed.")]
    premium_difference: Annotated[
        int, Meta(description="More premium for the days left, USD; less than zero is returned.")
    ]
    total: Annotated[float, Meta(description="The difference with its taxes and fees, USD.")]
    premium: Annotated[int, Meta(description="The whole premium of the policy after it, USD.")]
    endorsement: Annotated[int, Meta(description="The version of the document `endorsement` that says it.")]
    reason: Annotated[str, Meta(description="Why it was asked for.")]


class PolicyChangeDeclined(EventDetails, frozen=True, kw_only=True):
    """An underwriter declined a change: the policy stays as it is."""

    change_id: Annotated[Uuid, Meta(description="Identifies the change.")]
    effective: Annotated[date, Meta(description="The day from which it would have held.")]
    reason: Annotated[str, Meta(description="Why, in the underwriter's words.")]


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
