"""The answer of GET `/quotes/{identifier}`."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from bindery.contract.documents import (
    PAGES_SEEN,
    SIGNATURE_SEEN,
    SignatureFinding,
    UploadFinding,
    UploadPages,
)
from bindery.contract.fields import CompanyId, ContingencyId, Moment, PolicyNumber, QuoteIdentifier, Uuid
from bindery.contract.policy_ending import CanceledPolicy, CancellationBody, NonrenewalBody, RenewalBody
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import (
    ClosedAs,
    ContingencyStatus,
    ContingencyType,
    InsuranceProduct,
    QuoteStatus,
)

SIGNED_APPLICATION: Final = "A signed and dated application"
"""How the text of the contingency begins that a signed application fulfills."""


class ContingencyBody(Struct, frozen=True, kw_only=True):
    """Something owed for the quote, before or after the bind."""

    contingency_id: ContingencyId
    status: ContingencyStatus
    text: Annotated[str, Meta(description="What is owed, in words.")]
    type: ContingencyType
    closed_as: Annotated[
        ClosedAs | None,
        Meta(
            description="How it was closed: `fulfilled`, `waived` by an underwriter, or `attested` with the "
            "bind. Null while it is open, and where it was closed before this was recorded."
        ),
    ] = None
    closed_reason: Annotated[
        str | None, Meta(description="Why it was closed so; always there for one that was waived.")
    ] = None
    asked_again_because: Annotated[
        str,
        Meta(
            description="Why an underwriter asked for it again, in words for the broker; empty if nobody "
            "did, or without a word."
        ),
    ] = ""
    received: Annotated[
        Moment | None,
        Meta(description="When the file came in that waits for an underwriter; null where none waits."),
    ] = None


class CoverageBody(Struct, frozen=True, kw_only=True):
    """One coverage with its own limit and retention."""

    coverage_name: Annotated[str, Meta(description="The name of the coverage.")]
    limit: Annotated[int, Meta(description="The most that it pays, in USD.")]
    retention: Annotated[int, Meta(description="What the insured bears, in USD.")]
    parameter_name: Annotated[
        str | None, Meta(description="What `parameter` counts, such as `waiting_period_hours`.")
    ] = None
    parameter: Annotated[
        int | None, Meta(description="The figure that `parameter_name` names; null for none.")
    ] = None


class SurchargeBody(Struct, frozen=True, kw_only=True):
    """A tax or fee on top of the premium."""

    title: Annotated[str, Meta(description="The name of the tax or fee.")]
    percentage: Annotated[float, Meta(description="Percent of the premium; 0 for a flat fee.")]
    price: Annotated[float, Meta(description="USD.")]


class CorrectionBody(Struct, frozen=True, kw_only=True):
    """Something in the request that the quote does not carry as it was sent."""

    code: Annotated[
        str,
        Meta(
            description="`retention_raised`: the quote carries the lowest allowed. `no_effect`: it was taken "
            "and has no effect on this product. `unknown_field`: the request has no such field. "
            "`zip_outside_state`: the ZIP belongs to another state. `industry_missing`, `unknown_industry`: "
            "what it is rated by. `changed_by_underwriter`: an underwriter approved the option on another "
            "term. `no_longer_bindable`, `not_bindable_yet`: the effective date is outside "
            "the days that can be bound.",
            examples=["retention_raised"],
        ),
    ]
    field: Annotated[
        str, Meta(description="What it is about: a term of the option, or a path in the request.")
    ]
    path: Annotated[str, Meta(description="The same as `field`, under the name that errors have for it.")]
    asked: Annotated[int | str | None, Meta(description="What the request said.")]
    given: Annotated[int | str | None, Meta(description="What the quote carries instead; null for nothing.")]
    text: Annotated[str, Meta(description="The correction in words.")]
    reason: Annotated[
        str | None, Meta(description="The underwriter's words, where one changed it; otherwise null.")
    ] = None


class QuoteDates(Struct, frozen=True, kw_only=True):
    """The policy period."""

    effective: Annotated[date, Meta(description="The first day of the term.")]
    expiration: Annotated[date, Meta(description="The last day of the term; cover ends at 12:01 a.m.")]
    mpl_retroactive_date: Annotated[
        str | None, Meta(description="MPL: acts from this day on are covered, or `full_prior_acts`.")
    ] = None
    teo_retroactive_date: Annotated[
        date | None, Meta(description="TEO: acts from this day on are covered.")
    ] = None


class BinderBody(Struct, frozen=True, kw_only=True):
    """What kind of cover a bind led to."""

    conditional: Annotated[bool, Meta(description="Whether the policy waits for contingencies to be closed.")]
    fulfil_by: Annotated[
        date | None,
        Meta(
            description="The last day to fulfill a conditional binder, which lapses after it unless "
            "everything owed came in by then; otherwise null."
        ),
    ]
    received_on: Annotated[
        date | None,
        Meta(
            description="The day on which the last file came in that a conditional binder owes; null while "
            "one is missing."
        ),
    ] = None
    late: Annotated[
        bool,
        Meta(
            description="Whether everything owed came in time and no underwriter has looked by the last day: "
            "the binder then holds until one has."
        ),
    ] = False


class DecisionKind(StrEnum):
    """What a person or the timetable decided."""

    APPROVED = "approved"
    AMENDED = "amended"
    DECLINED = "declined"
    REVOKED = "revoked"
    WITHDRAWN = "withdrawn"
    CANCELED = "canceled"
    LAPSED = "lapsed"


class DecisionBody(Struct, frozen=True, kw_only=True):
    """The last decision about a quote or policy, as it was told by webhook."""

    kind: DecisionKind
    reason: Annotated[
        str | None,
        Meta(description="For the partner: the underwriter's words, `submission_changed` or `withdrawn`."),
    ]
    at: Annotated[Moment, Meta(description="When it was decided.")]
    effective: Annotated[
        date | None, Meta(description="The day from which a canceled policy covers nothing; otherwise null.")
    ] = None
    returned_premium: Annotated[
        int | None, Meta(description="What a cancellation returns, in whole USD; otherwise null.")
    ] = None


class TermChange(Struct, frozen=True, kw_only=True):
    """One thing that an amendment changed."""

    path: Annotated[
        str,
        Meta(
            description="`premium`, `aggregate_retention` or `per_claim_retention`.",
            examples=["premium"],
        ),
    ]
    before: Annotated[int | None, Meta(description="What held before, in USD; null for nothing.")]
    after: Annotated[int | None, Meta(description="What holds since, in USD; null for nothing.")]


class AmendmentBody(Struct, frozen=True, kw_only=True):
    """What an underwriter changed while the quote was open; it keeps its identifier and its last day."""

    at: Annotated[Moment, Meta(description="When it was amended.")]
    reason: Annotated[str, Meta(description="The underwriter's words.")]
    changes: Annotated[list[TermChange], Meta(description="What was changed, from what to what.")]


class UploadBody(Struct, frozen=True, kw_only=True):
    """A file that was uploaded for the quote."""

    document_id: Annotated[Uuid, Meta(description="Identifies the upload.")]
    name: Annotated[str, Meta(description="What it is called.")]
    contingency: Annotated[str | None, Meta(description="The `contingency_id` that it was sent for.")]
    received: Annotated[Moment, Meta(description="When it came in.")]
    finding: Annotated[UploadFinding, Meta(description="What the file turned out to be, as in its receipt.")]
    signature: Annotated[SignatureFinding | None, SIGNATURE_SEEN]
    pages: Annotated[UploadPages | None, PAGES_SEEN]
    signed_electronically: Annotated[
        bool,
        Meta(description="Whether the client signed it on our page: nobody has to look at it or attest it."),
    ]
    message: Annotated[str, Meta(description="What the receipt said of it in words.")]


class QuestionStatus(StrEnum):
    """What became of an underwriter's question to the broker.

    `open`: the case waits for the answer. `answered`: it came. `overtaken`: the case was decided before, and
    an answer is kept all the same. `withdrawn`: the underwriter goes on without it.
    """

    OPEN = "open"
    ANSWERED = "answered"
    OVERTAKEN = "overtaken"
    WITHDRAWN = "withdrawn"


class BrokerQuestionBody(Struct, frozen=True, kw_only=True):
    """What an underwriter asked the broker about the submission."""

    question_id: Annotated[Uuid, Meta(description="Identifies the question.")]
    status: QuestionStatus
    text: Annotated[str, Meta(description="The underwriter's words.")]
    about: Annotated[list[str], Meta(description="Codes of the referral reasons that it is about.")]
    asked_at: Annotated[Moment, Meta(description="When it was asked.")]
    answer: Annotated[str | None, Meta(description="The broker's words; null while there are none.")]
    document_id: Annotated[
        Uuid | None, Meta(description="The file that came with the answer, among the `uploads`.")
    ]
    answered_at: Annotated[Moment | None, Meta(description="When it was answered; otherwise null.")]


class QuoteBody(Struct, frozen=True, kw_only=True):
    """A quote with its terms, price and standing."""

    quote_identifier: QuoteIdentifier
    company_id: CompanyId
    client: Annotated[
        dict[str, Any], Meta(description="The client as it was sent; `industry` is `00` for TEO.")
    ]
    insurance_product: InsuranceProduct
    aggregate_limit: Annotated[int, Meta(description="The most that is paid in the term, in USD.")]
    aggregate_retention: Annotated[
        int | None, Meta(description="What the insured bears, in USD; null for MPL unless it was asked for.")
    ]
    per_claim_limit: Annotated[int, Meta(description="The most that is paid for one claim, in USD.")]
    per_claim_retention: Annotated[int | None, Meta(description="Applies to MPL.")]
    premium: Annotated[int | None, Meta(description="USD, whole dollars; null while a person has to decide.")]
    total: Annotated[
        float | None, Meta(description="Premium and surcharges in USD, to the cent; null where `premium` is.")
    ]
    quote_status: QuoteStatus
    quote_expiration_date: Annotated[
        date | None,
        Meta(description="The last day to bind; for a conditional binder, the last day to fulfill it."),
    ]
    policy_number: Annotated[
        PolicyNumber | None,
        Meta(description="Null until the quote is bound; it stays after the cover has ended."),
    ]
    dates: QuoteDates
    contingencies: Annotated[
        list[ContingencyBody], Meta(description="What is owed before or after the bind.")
    ]
    coverages: Annotated[
        list[CoverageBody], Meta(description="What is covered; empty while there is no price.")
    ]
    surcharges: Annotated[
        list[SurchargeBody],
        Meta(description="Taxes and fees on top of the premium; empty while there is no price."),
    ]
    surcharges_effective_from: Annotated[
        date | None,
        Meta(description="The first day that these taxes and fees apply; null while there is no price."),
    ]
    surcharges_effective_until: Annotated[
        date | None, Meta(description="The last day that they apply; null while no end is known.")
    ]
    filing_effective_from: Annotated[
        date | None, Meta(description="The first day of the tariff; null while there is no price.")
    ]
    filing_effective_until: Annotated[
        date | None, Meta(description="The last day of the tariff; null while no end is known.")
    ]
    error_occurred: Annotated[bool, Meta(description="Whether pricing failed, so that a person has to look.")]
    red_flags_exist: Annotated[bool, Meta(description="Whether the scan found something severe.")]
    referral_reasons: Annotated[
        list[ReferralReason], Meta(description="Why an underwriter has to look, or had to.")
    ]
    corrections: Annotated[
        list[CorrectionBody], Meta(description="What the quote does not use as it was sent.")
    ]
    available_documents: Annotated[list[str], Meta(description="The documents that can be downloaded now.")]
    available_actions: Annotated[list[str], Meta(description="What can be done with the quote now.")]
    renewal: Annotated[RenewalBody | None, Meta(description="Null unless this is a policy or renews one.")]
    binder: Annotated[BinderBody | None, Meta(description="Null until the quote is bound.")]
    decision: Annotated[
        DecisionBody | None,
        Meta(
            description="Null unless an underwriter approved the referral or amended the quote, it was "
            "declined, revoked or withdrawn, or its cover ended early."
        ),
    ]
    cancellation: Annotated[CanceledPolicy | None, Meta(description="Null unless the policy is canceled.")]
    uploads: Annotated[list[UploadBody], Meta(description="Every file received for it, the oldest first.")]
    cancellation_request: Annotated[
        CancellationBody | None,
        Meta(description="The partner's last request to cancel the policy; null if there was none."),
    ]
    amendments: Annotated[
        list[AmendmentBody],
        Meta(description="What an underwriter changed after it was published, the oldest first."),
    ]
    questions: Annotated[
        list[BrokerQuestionBody],
        Meta(description="What underwriters asked the broker about the submission, the oldest first."),
    ]
    nonrenewal: Annotated[
        NonrenewalBody | None, Meta(description="Why the insurer does not renew the policy; otherwise null.")
    ] = None
