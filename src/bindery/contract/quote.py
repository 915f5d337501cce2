"""The answer of GET `/quotes/{identifier}`."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from bindery.contract.documents import UploadFinding
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, InsuranceProduct, QuoteStatus


class ContingencyBody(Struct, frozen=True, kw_only=True):
    """Something owed for the quote, before or after the bind."""

    contingency_id: str
    status: ContingencyStatus
    text: str
    type: ContingencyType


class CoverageBody(Struct, frozen=True, kw_only=True):
    """One coverage with its own limit and retention."""

    coverage_name: str
    limit: int
    retention: int
    parameter_name: Annotated[
        str | None, Meta(description="What `parameter` counts, such as `waiting_period_hours`.")
    ] = None
    parameter: int | None = None


class SurchargeBody(Struct, frozen=True, kw_only=True):
    """A tax or fee on top of the premium."""

    title: str
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
            "what it is rated by. `no_longer_bindable`, `not_bindable_yet`: the effective date is out of "
            "a bind's reach.",
            examples=["retention_raised"],
        ),
    ]
    field: Annotated[
        str, Meta(description="What it is about: a term of the option, or a path in the request.")
    ]
    asked: int | str | None
    given: Annotated[int | str | None, Meta(description="What the quote carries instead; null for nothing.")]
    text: str


class QuoteDates(Struct, frozen=True, kw_only=True):
    """The policy period."""

    effective: date
    expiration: date
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
            description="The last day to fulfil a conditional binder, which lapses after it; otherwise null."
        ),
    ]


class DecisionKind(StrEnum):
    """What a person or the timetable decided."""

    DECLINED = "declined"
    REVOKED = "revoked"
    WITHDRAWN = "withdrawn"
    CANCELED = "canceled"
    LAPSED = "lapsed"


class DecisionBody(Struct, frozen=True, kw_only=True):
    """The decision that ended a quote or policy, as it was told by webhook."""

    kind: DecisionKind
    reason: Annotated[
        str | None, Meta(description="For the partner: the underwriter's words, or `submission_changed`.")
    ]
    at: datetime
    effective: Annotated[
        date | None, Meta(description="The day from which a canceled policy covers nothing; otherwise null.")
    ] = None
    returned_premium: Annotated[
        int | None, Meta(description="What a cancellation gives back, in whole USD; otherwise null.")
    ] = None


class UploadBody(Struct, frozen=True, kw_only=True):
    """A file that was uploaded for the quote."""

    document_id: str
    name: str
    contingency: Annotated[str | None, Meta(description="The `contingency_id` that it was sent for.")]
    received: datetime
    finding: Annotated[UploadFinding, Meta(description="What the file turned out to be, as in its receipt.")]


class RenewalBody(Struct, frozen=True, kw_only=True):
    """How a policy renews, what a quote renews, and what renews it."""

    type: Annotated[str, Meta(description="`auto` or `manual`.")]
    renews: Annotated[str | None, Meta(description="Identifier of the quote whose policy this one renews.")]
    renewed_by: Annotated[str | None, Meta(description="Identifier of the quote that renews this policy.")]


class QuoteBody(Struct, frozen=True, kw_only=True):
    """A quote with its terms, price and standing."""

    quote_identifier: str
    company_id: str
    client: Annotated[
        dict[str, Any], Meta(description="The client as it was sent; `industry` is `00` for TEO.")
    ]
    insurance_product: InsuranceProduct
    aggregate_limit: int
    aggregate_retention: int | None
    per_claim_limit: int
    per_claim_retention: Annotated[int | None, Meta(description="Applies to MPL.")]
    premium: Annotated[int | None, Meta(description="USD, whole dollars; null while a person has to decide.")]
    total: Annotated[
        float | None, Meta(description="Premium and surcharges in USD, to the cent; null where `premium` is.")
    ]
    quote_status: QuoteStatus
    quote_expiration_date: Annotated[
        date | None,
        Meta(description="The last day to bind; of a conditional binder the last day to fulfil it."),
    ]
    policy_number: str | None
    dates: QuoteDates
    contingencies: list[ContingencyBody]
    coverages: list[CoverageBody]
    surcharges: list[SurchargeBody]
    surcharges_effective_from: date | None
    surcharges_effective_until: date | None
    filing_effective_from: date | None
    filing_effective_until: date | None
    error_occurred: bool
    red_flags_exist: bool
    referral_reasons: list[ReferralReason]
    corrections: list[CorrectionBody]
    available_documents: list[str]
    available_actions: list[str]
    renewal: RenewalBody | None
    binder: Annotated[BinderBody | None, Meta(description="Null until the quote is bound.")]
    decision: Annotated[
        DecisionBody | None,
        Meta(
            description="Null unless the quote was declined, revoked or withdrawn, or its cover ended early."
        ),
    ]
    uploads: Annotated[list[UploadBody], Meta(description="Every file received for it, the oldest first.")]
