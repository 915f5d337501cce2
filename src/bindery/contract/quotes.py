"""The bodies of POST `/quotes` and its answer.

Null in place of an optional field means that it is not given.
"""

from datetime import date
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from bindery.contract.fields import CompanyId, Lines, QuoteIdentifier
from bindery.contract.vocabulary import (
    DEFAULT_PRODUCT,
    WHICH_PRODUCT,
    AggregateLimit,
    AggregateRetention,
    ContactRole,
    InsuranceProduct,
    PerClaimRetention,
)

MAX_OPTIONS = 15
MAX_DOMAINS = 75
MAX_REVENUE = 5_000_000_000
MAX_QUESTIONS = 200
MAX_CHOSEN = 100
MAX_ADDITIONAL_CONTACTS = 100
MAX_METADATA_KEYS = 50

Email = Annotated[str, Meta(min_length=1, max_length=255, examples=["ann@harborlight.example"])]
ContactText = Annotated[str, Meta(min_length=1, max_length=255)]


class Address(Struct, frozen=True, kw_only=True):
    """Where the applicant is; the state decides taxes and fees."""

    street: Annotated[
        str,
        Meta(min_length=1, max_length=255, description="Street and number.", examples=["1200 Market Street"]),
    ]
    city: Annotated[
        str, Meta(min_length=1, max_length=50, description="City or town.", examples=["Philadelphia"])
    ]
    zip: Annotated[
        str, Meta(max_length=50, description="US postal code, `19107` or `19107-3615`.", examples=["19107"])
    ]
    state: Annotated[
        Annotated[str, Meta(max_length=50)] | UnsetType | None,
        Meta(
            description="US state, full name or two letters; `DC` for Washington D.C. "
            "Taken from the ZIP when missing.",
        ),
    ] = UNSET
    street2: Annotated[
        Annotated[str, Meta(max_length=255)] | UnsetType | None, Meta(description="Suite, floor or unit.")
    ] = UNSET


class InsuredMainContact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The insured's own contact; no other properties are allowed."""

    email: Annotated[Email, Meta(description="Email of the contact.")]
    cell_phone: Annotated[ContactText | UnsetType | None, Meta(description="Mobile phone number.")] = UNSET
    first_name: Annotated[ContactText | UnsetType | None, Meta(description="Given name.")] = UNSET
    last_name: Annotated[ContactText | UnsetType | None, Meta(description="Family name.")] = UNSET


class AdditionalContact(Struct, frozen=True, kw_only=True):
    """Somebody else to tell, and about what."""

    email: Annotated[Email, Meta(description="Email of the contact.")]
    contact_roles: Annotated[
        list[ContactRole],
        Meta(
            min_length=1,
            max_length=2,
            description="What the contact is told about.",
            extra_json_schema={"uniqueItems": True},
        ),
    ]
    cell_phone: Annotated[
        Annotated[str, Meta(max_length=1000)] | UnsetType | None, Meta(description="Mobile phone number.")
    ] = UNSET
    first_name: Annotated[
        Annotated[str, Meta(max_length=1000)] | UnsetType | None, Meta(description="Given name.")
    ] = UNSET
    last_name: Annotated[
        Annotated[str, Meta(max_length=1000)] | UnsetType | None, Meta(description="Family name.")
    ] = UNSET


OPEN_OBJECTS: Final = frozenset({AdditionalContact})
"""What the specification lets hold other properties: they are kept and shown again."""

SIX_DIGITS: Final = r"^([0-9]{6}|00)$"
Industry = Annotated[
    Annotated[str, Meta(pattern=SIX_DIGITS)] | UnsetType | None,
    Meta(
        description="Six digits, NAICS 2022. Optional for TEO, which takes the `00` that its quotes show.",
        examples=["541611"],
    ),
]


class Client(Struct, frozen=True, kw_only=True):
    """The applicant."""

    name: Annotated[
        str,
        Meta(min_length=1, max_length=400, description="Named insured.", examples=["Harborlight Bakery LLC"]),
    ]
    revenue: Annotated[int, Meta(ge=1, le=MAX_REVENUE, description="Revenue of the last 12 months in USD.")]
    broker_email: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=320,
            description="Email of the broker of record, one configured for the partner.",
            examples=["broker@example.com"],
        ),
    ]
    address: Address
    company_id: Annotated[
        str | int | UnsetType | None,
        Meta(
            description="Identifier from an earlier answer, to ask for more options or products for the same "
            "applicant. Version 0.1 `client_partner_id` values are accepted."
        ),
    ] = UNSET
    dba: Annotated[
        Annotated[str, Meta(max_length=400)] | UnsetType | None,
        Meta(description="Another name that it does business under."),
    ] = UNSET
    domains: Annotated[
        Annotated[list[Annotated[str, Meta(max_length=255)]], Meta(max_length=MAX_DOMAINS)] | None,
        Meta(
            description="Its domains, which are scanned for CYB and TEO.",
            examples=[["clean.example.com"]],
        ),
    ] = []
    industry: Industry = UNSET
    insured_main_contact: Annotated[
        InsuredMainContact | UnsetType | None, Meta(description="The insured's own contact.")
    ] = UNSET
    additional_contacts: Annotated[
        Annotated[list[AdditionalContact], Meta(max_length=MAX_ADDITIONAL_CONTACTS)] | None,
        Meta(description="Others to tell, and about what."),
    ] = []
    secondary_broker_email: Annotated[
        Annotated[str, Meta(max_length=320)] | UnsetType | None,
        Meta(description="Copied on renewal offers and policy notices."),
    ] = UNSET
    metadata: Annotated[
        Annotated[dict[str, Any], Meta(max_length=MAX_METADATA_KEYS)] | UnsetType | None,
        Meta(
            description="The partner's own notes, at most 4,096 bytes of JSON; "
            "echoed wherever the client is shown.",
        ),
    ] = UNSET


class PolicyDates(Struct, frozen=True, kw_only=True):
    """The policy period; 6 to 18 months. Null means not given, so that the `dates` of a quote can be sent."""

    effective: Annotated[date, Meta(description="Desired effective date.")]
    expiration: Annotated[
        date | UnsetType | None,
        Meta(
            description="When missing, 12 months after `effective`; at a bind the end of the quoted term, "
            "or just as long from a moved `effective`."
        ),
    ] = UNSET
    mpl_retroactive_date: Annotated[
        str | UnsetType | None, Meta(description="A date, or `full_prior_acts` in any case. Applies to MPL.")
    ] = UNSET
    teo_retroactive_date: Annotated[
        date | UnsetType | None,
        Meta(
            description="Equals `effective` when missing; with an earlier date, an underwriter reviews the "
            "bind. Applies to TEO."
        ),
    ] = UNSET


class QuoteOption(Struct, frozen=True, kw_only=True):
    """One requested option."""

    aggregate_limit: Annotated[AggregateLimit, Meta(description="The most that is paid in the term, in USD.")]
    aggregate_retention: Annotated[
        AggregateRetention | UnsetType | None,
        Meta(description="What the insured bears, in USD; one below the lowest allowed is raised to it."),
    ] = UNSET
    per_claim_limit: Annotated[
        AggregateLimit | UnsetType | None,
        Meta(
            description="The aggregate limit when missing; must not exceed it. 300000, 900000, 1500000 and "
            "2500000 are taken where they equal it."
        ),
    ] = UNSET
    per_claim_retention: Annotated[
        PerClaimRetention | UnsetType | None, Meta(description="Applies to MPL.")
    ] = UNSET


class Policy(Struct, frozen=True, kw_only=True):
    """What is asked for."""

    dates: Annotated[PolicyDates | UnsetType | None, Meta(description="Effective tomorrow when missing.")] = (
        UNSET
    )
    insurance_product: Annotated[InsuranceProduct | None, Meta(description=WHICH_PRODUCT)] = DEFAULT_PRODUCT
    program_code: Annotated[str | None, Meta(description="Code of a configured program, or empty.")] = ""
    quotes: Annotated[
        Annotated[list[QuoteOption], Meta(max_length=MAX_OPTIONS)] | None,
        Meta(description="The options; one with a limit of 1,000,000 when missing or empty."),
    ] = []


class Question(Struct, frozen=True, kw_only=True):
    """One answer."""

    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="Question id, with or without a leading `Q`.",
            examples=["Q2134"],
        ),
    ]
    value: Annotated[
        Lines | int | bool | Annotated[list[Any], Meta(max_length=MAX_CHOSEN)],
        Meta(description="The answer: text, whole number, boolean, or a list of option texts."),
    ]


class CreateQuotesRequest(Struct, frozen=True, kw_only=True):
    """The body of POST `/quotes`."""

    client: Client
    policy: Policy
    questions: Annotated[
        list[Question],
        Meta(
            max_length=MAX_QUESTIONS,
            description="The answers to the product's questions: `GET /questions/{product}` lists them.",
        ),
    ]


class QuoteReceipt(Struct, frozen=True, kw_only=True):
    """A receipt for one requested option; the terms of a quote come only from GET `/quotes/{identifier}`."""

    quote_identifier: QuoteIdentifier
    requested_aggregate_limit: Annotated[int, Meta(description="As requested, in USD.")]
    requested_aggregate_retention: Annotated[
        int | None, Meta(description="As requested, in USD; null when not requested.")
    ] = None
    requested_per_claim_limit: Annotated[
        int | None, Meta(description="As requested, in USD; null when not requested.")
    ] = None
    requested_per_claim_retention: Annotated[
        int | None, Meta(description="As requested, in USD; null when not requested.")
    ] = None


class CreateQuotesResponse(Struct, frozen=True, kw_only=True):
    """The answer to POST `/quotes`, and to a bind."""

    company_id: CompanyId
    quotes: Annotated[
        list[QuoteReceipt], Meta(description="One receipt for each requested option, in their order.")
    ]
