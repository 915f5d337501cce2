"""The answer of GET `/quotes/{identifier}`."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

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
    """A requested term that the quote could not carry."""

    field: str
    asked: int
    given: int
    text: str


class QuoteDates(Struct, frozen=True, kw_only=True):
    """The policy period."""

    effective: date
    expiration: date
    mpl_retroactive_date: str | None = None
    teo_retroactive_date: date | None = None


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
    quote_status: QuoteStatus
    quote_expiration_date: date | None
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
