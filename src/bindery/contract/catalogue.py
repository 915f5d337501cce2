"""The answers of GET `/industries`, GET `/products/{product}` and POST `/quotes/indication`, and its body."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.quotes import MAX_REVENUE, Industry
from bindery.contract.service import ReferralReason
from bindery.contract.vocabulary import (
    DEFAULT_AGGREGATE_LIMIT,
    DEFAULT_PRODUCT,
    WHICH_PRODUCT,
    AggregateLimit,
    InsuranceProduct,
)


class Appetite(StrEnum):
    """What an industry means for a cyber quote.

    `quote`: it is quoted automatically. `refer`: an underwriter has to look. `decline`: one has to look,
    and is advised to decline.
    """

    QUOTE = "quote"
    REFER = "refer"
    DECLINE = "decline"


class IndustryBody(Struct, frozen=True, kw_only=True):
    """An industry by its NAICS 2022 code."""

    code: Annotated[str, Meta(description="Send it as `client.industry`.", examples=["311811"])]
    title: Annotated[str, Meta(description="The title in NAICS 2022.", examples=["Retail Bakeries"])]
    hazard_group: Annotated[int, Meta(description="How hazardous it is for CYB: 1 is the least.")]
    appetite: Appetite
    reason: Annotated[str, Meta(description="Why it is in that group.")]


class IndustriesResponse(Struct, frozen=True, kw_only=True):
    """The industries that were found, the likeliest first."""

    industries: Annotated[list[IndustryBody], Meta(description="The industries.")]
    more: Annotated[bool, Meta(description="Whether there are more than were asked for.")]


class RetentionBand(Struct, frozen=True, kw_only=True):
    """The retentions of firms from a revenue on."""

    revenue_from: Annotated[int, Meta(description="The lowest revenue of the band, in USD.")]
    minimum: Annotated[int, Meta(description="The lowest retention; one below it is raised to it.")]
    default: Annotated[
        int, Meta(description="The retention when none is asked for, if the limit is large enough for it.")
    ]


class AuthorityBody(Struct, frozen=True, kw_only=True):
    """What is quoted automatically; beyond it an underwriter decides."""

    aggregate_limit: Annotated[int, Meta(description="The largest limit, in USD.")]
    revenue: Annotated[int | None, Meta(description="The largest revenue, in USD; null for any.")]


class ProductTerms(Struct, frozen=True, kw_only=True):
    """The periods of time that hold for a product."""

    shortest_months: Annotated[int, Meta(description="Months of the shortest policy.")]
    longest_months: Annotated[int, Meta(description="Months of the longest policy.")]
    open_days: Annotated[int, Meta(description="How many days a quote stays open.")]
    bind_days_back: Annotated[int, Meta(description="How many days back a bind may start.")]
    bind_days_ahead: Annotated[int, Meta(description="How many days ahead a bind may start.")]


class ProductCoverage(Struct, frozen=True, kw_only=True):
    """A coverage of a product."""

    coverage_name: Annotated[str, Meta(description="The name of the coverage, as quotes show it.")]
    party: Annotated[str, Meta(description="`first`: the insured's own loss. `third`: the loss of others.")]


class ProductCapacity(Struct, frozen=True, kw_only=True):
    """States in which policies of a product can be written today, and up to which limit automatically."""

    aggregate_limit: Annotated[
        int,
        Meta(
            description="The largest limit that is written there automatically, in USD.",
            examples=[2_000_000],
        ),
    ]
    states: Annotated[
        list[str],
        Meta(description="The states, as two letters, in alphabetical order.", examples=[["CA", "PA"]]),
    ]


class ProductBody(Struct, frozen=True, kw_only=True):
    """What may be asked for."""

    insurance_product: InsuranceProduct
    title: Annotated[str, Meta(description="As printed on documents.", examples=["Cyber Insurance"])]
    line: Annotated[str, Meta(description="A company has one policy of a line at a time.")]
    scanned: Annotated[bool, Meta(description="Whether the applicant's domains are scanned.")]
    aggregate_limits: Annotated[list[int], Meta(description="The limits that can be asked for, in USD.")]
    aggregate_retentions: Annotated[
        list[int], Meta(description="The aggregate retentions that can be asked for, in USD.")
    ]
    per_claim_retentions: Annotated[
        list[int],
        Meta(description="The per-claim retentions that can be asked for, in USD; empty except for MPL."),
    ]
    retention: Annotated[
        str, Meta(description="Which retention it is priced by: `aggregate` or `per_claim`.")
    ]
    retention_bands: Annotated[
        list[RetentionBand], Meta(description="The lowest and the usual retention by revenue.")
    ]
    largest_retention_share: Annotated[
        float, Meta(description="A retention above this share of the aggregate limit is referred.")
    ]
    authority: AuthorityBody
    capacity: Annotated[
        list[ProductCapacity],
        Meta(
            description="Where there is capacity for a policy that begins today, the largest limit first. A "
            "state that is not here has none: what is asked for there waits for an underwriter. It changes "
            "with what is bound, so ask again rather than keep it."
        ),
    ] = []
    terms: ProductTerms
    retroactive_date: Annotated[
        str | None, Meta(description="The field of `policy.dates` for acts before the policy; null for none.")
    ]
    coverages: Annotated[list[ProductCoverage], Meta(description="What it covers.")]
    most_options: Annotated[int, Meta(description="How many options one request may have.")]
    tariff: Annotated[str, Meta(description="The edition of the tariff that is in force.")]
    tariff_effective_from: Annotated[date, Meta(description="The first day of that edition.")]


class IndicationRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of POST `/quotes/indication`."""

    name: Annotated[str, Meta(min_length=1, max_length=400, description="Named insured.")]
    revenue: Annotated[int, Meta(ge=1, le=MAX_REVENUE, description="Revenue of the last 12 months in USD.")]
    state: Annotated[
        str, Meta(min_length=2, max_length=50, description="US state, full name or two letters.")
    ]
    industry: Industry = None
    insurance_product: Annotated[InsuranceProduct | None, Meta(description=WHICH_PRODUCT)] = DEFAULT_PRODUCT
    aggregate_limit: Annotated[
        AggregateLimit | None, Meta(description="The most that is paid in the term, in USD.")
    ] = DEFAULT_AGGREGATE_LIMIT


class AmountRange(Struct, frozen=True, kw_only=True):
    """The range that a price is likely to fall in, in USD."""

    low: Annotated[float, Meta(description="With the best answers.")]
    high: Annotated[float, Meta(description="With the worst.")]


class IndicationResponse(Struct, frozen=True, kw_only=True):
    """A price range. It is not a quote, cannot be bound and binds nobody."""

    message: Annotated[str, Meta(description="One sentence for a person: that this is not a quote.")]
    insurance_product: InsuranceProduct
    aggregate_limit: Annotated[int, Meta(description="As asked for, in USD.")]
    retention: Annotated[int, Meta(description="The usual retention for the revenue, in USD.")]
    premium: AmountRange
    total: Annotated[AmountRange, Meta(description="With taxes and fees of the state.")]
    referral_reasons: Annotated[
        list[ReferralReason], Meta(description="What would refer a quote, as far as is known from this.")
    ]
    assumptions: Annotated[list[str], Meta(description="What the range assumes.")]
