"""The answers of the lists: GET `/quotes`, `/policies`, `/companies` and `/companies/{company_id}`."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from bindery.contract.fields import CompanyId, Moment, PolicyNumber, QuoteIdentifier, Uuid
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus

NextCursor = Annotated[
    str | None,
    Meta(
        description="Send it as `cursor` for the next page; null on the last one. A page may be short, even "
        "empty, and still have a next one."
    ),
]
ApplicantName = Annotated[
    str, Meta(description="The named insured, as submitted.", examples=["Harborlight Bakery LLC"])
]
BrokerEmail = Annotated[
    str, Meta(description="Email of the broker of record.", examples=["broker@example.com"])
]
OwnMetadata = Annotated[
    dict[str, Any] | None, Meta(description="The partner's own `client.metadata`; null for none.")
]


class TermDates(Struct, frozen=True, kw_only=True):
    """The policy period."""

    effective: Annotated[date, Meta(description="The first day of the term.")]
    expiration: Annotated[date, Meta(description="The last day of the term; cover ends at 12:01 a.m.")]


class ListedQuote(Struct, frozen=True, kw_only=True):
    """A quote in a list; `GET /quotes/{identifier}` has all of it."""

    quote_identifier: QuoteIdentifier
    company_id: CompanyId
    name: ApplicantName
    broker_email: BrokerEmail
    insurance_product: InsuranceProduct
    quote_status: QuoteStatus
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
    quote_expiration_date: Annotated[
        date | None,
        Meta(description="The last day to bind; for a conditional binder, the last day to fulfill it."),
    ]
    policy_number: Annotated[PolicyNumber | None, Meta(description="Null until the quote is bound.")]
    dates: TermDates
    renews: Annotated[Uuid | None, Meta(description="Identifier of the quote whose policy this one renews.")]
    created_at: Annotated[Moment, Meta(description="When it was asked for.")]
    updated_at: Annotated[Moment, Meta(description="When something last happened to it.")]
    metadata: OwnMetadata


class QuotesResponse(Struct, frozen=True, kw_only=True):
    """A page of quotes, the newest submission first, its options in order."""

    quotes: Annotated[list[ListedQuote], Meta(description="The quotes.")]
    next_cursor: NextCursor


class ListedPolicy(Struct, frozen=True, kw_only=True):
    """A policy, or a conditional binder, in a list."""

    policy_number: PolicyNumber
    quote_identifier: QuoteIdentifier
    company_id: CompanyId
    name: ApplicantName
    broker_email: BrokerEmail
    insurance_product: InsuranceProduct
    quote_status: Annotated[
        QuoteStatus,
        Meta(
            description="`policy_active`, `policy_canceled`, `policy_expired`, or `quote_expired` for a "
            "binder that lapsed."
        ),
    ]
    conditional: Annotated[bool, Meta(description="Whether the policy waits for contingencies to be closed.")]
    fulfil_by: Annotated[
        date | None, Meta(description="The last day to fulfill a conditional binder; otherwise null.")
    ]
    received_on: Annotated[
        date | None,
        Meta(
            description="The day on which the last file came in that a conditional binder owes; null while "
            "one is missing."
        ),
    ]
    dates: TermDates
    bound_on: Annotated[date, Meta(description="The day of the bind.")]
    ended_on: Annotated[
        date | None, Meta(description="The day from which a canceled policy covers nothing; otherwise null.")
    ]
    premium: Annotated[int, Meta(description="USD, whole dollars.")]
    total: Annotated[float, Meta(description="Premium and surcharges in USD, to the cent.")]
    renewal_type: Annotated[str, Meta(description="Whether it renews automatically.")]
    renews: Annotated[Uuid | None, Meta(description="Identifier of the quote whose policy this one renews.")]
    renewed_by: Annotated[
        Uuid | None,
        Meta(description="Identifier of the quote that renews this policy, from the day it is worked out."),
    ]
    renewal_state: RenewalState
    renewal_stopped_by: Annotated[
        RenewalStop | None,
        Meta(description="What keeps it from renewing by itself; null for nothing."),
    ]
    metadata: OwnMetadata


class PoliciesResponse(Struct, frozen=True, kw_only=True):
    """A page of policies, the newest bind first."""

    policies: Annotated[list[ListedPolicy], Meta(description="The policies.")]
    next_cursor: NextCursor


class ListedCompany(Struct, frozen=True, kw_only=True):
    """A company in a list, by what was submitted for it last."""

    company_id: CompanyId
    name: ApplicantName
    broker_email: BrokerEmail
    insurance_products: Annotated[
        list[InsuranceProduct], Meta(description="The products that were asked for.")
    ]
    quote_statuses: Annotated[list[QuoteStatus], Meta(description="The statuses that its quotes have.")]
    created_at: Annotated[Moment, Meta(description="When something was first requested for it.")]


class CompaniesResponse(Struct, frozen=True, kw_only=True):
    """A page of companies, the newest first."""

    companies: Annotated[list[ListedCompany], Meta(description="The companies.")]
    next_cursor: NextCursor


class SupersededBecause(StrEnum):
    """Why another quote took the place of this one.

    `submission_changed`: the applicant was submitted again with other facts. `other_option_bound`: another
    option of the line was bound, or its bind requested. `renewed`: the policy has a renewal.
    """

    SUBMISSION_CHANGED = "submission_changed"
    OTHER_OPTION_BOUND = "other_option_bound"
    RENEWED = "renewed"


class Superseded(Struct, frozen=True, kw_only=True):
    """What took the place of a quote."""

    quote_identifier: QuoteIdentifier
    because: SupersededBecause


class CompanyOption(ListedQuote, frozen=True, kw_only=True):
    """An option of a submission next to the others."""

    premium_difference: Annotated[
        int | None,
        Meta(
            description="How much more the premium is than that of the submission's cheapest option, in USD; "
            "null where there is no premium."
        ),
    ]
    total_difference: Annotated[
        float | None, Meta(description="The same for the total, to the cent; null without a total.")
    ]
    change_from_superseded: Annotated[
        float | None,
        Meta(
            description="How much more the total is than that of the policy it renews, or of the option that "
            "it superseded, in USD; negative where it is less, null where there is nothing to compare.",
            extra_json_schema={"minimum": -1e15},
        ),
    ]
    counter_offer: Annotated[
        bool,
        Meta(description="Whether an underwriter offered it: an option, a term or a price not asked for."),
    ]
    superseded_by: Annotated[
        Superseded | None, Meta(description="The quote that took its place; null if none did.")
    ]


class CompanySubmission(Struct, frozen=True, kw_only=True):
    """What was asked for at one time, its options side by side."""

    insurance_product: InsuranceProduct
    created_at: Annotated[Moment, Meta(description="When it was asked for.")]
    revenue: Annotated[int, Meta(description="Revenue of the last 12 months in USD, as submitted.")]
    renews: Annotated[
        Uuid | None, Meta(description="Identifier of the quote whose policy it renews; otherwise null.")
    ]
    options: Annotated[list[CompanyOption], Meta(description="The options, counter-offers last.")]


class CompanyBody(Struct, frozen=True, kw_only=True):
    """A company with what was asked for it, renewals and counter-offers included."""

    company_id: CompanyId
    client: Annotated[dict[str, Any], Meta(description="The client as it was last sent.")]
    submissions: Annotated[
        list[CompanySubmission], Meta(description="The submissions, the newest first; at most 300 options.")
    ]
    older_quotes: Annotated[
        bool, Meta(description="Whether there are older ones: `GET /quotes?company_id=` lists all.")
    ]
