"""The body of POST `/binds` and its answer."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bindery.contract.fields import EXAMPLE_QUOTE, CompanyId, Lines, PolicyNumber, QuoteIdentifier, Uuid
from bindery.contract.quotes import (
    MAX_ADDITIONAL_CONTACTS,
    AdditionalContact,
    InsuredMainContact,
    PolicyDates,
    QuoteReceipt,
)
from bindery.contract.vocabulary import QuoteStatus


class BindClient(Struct, frozen=True, kw_only=True):
    """Contacts that replace those on file; what is not given stays."""

    insured_main_contact: InsuredMainContact
    additional_contacts: Annotated[
        Annotated[list[AdditionalContact], Meta(max_length=MAX_ADDITIONAL_CONTACTS)] | UnsetType | None,
        Meta(description="Others to tell, and about what; null for none."),
    ] = UNSET


class BindRequest(Struct, frozen=True, kw_only=True):
    """A request to bind one quote."""

    quote_identifier: Annotated[
        str,
        Meta(
            min_length=1,
            description="The quote to bind; version 0.1 `quote_id` values are accepted.",
            examples=[EXAMPLE_QUOTE],
        ),
    ]
    dates: PolicyDates
    app_attestation: Annotated[
        bool | None,
        Meta(
            description="True attests that the application uploaded for the signature contingency is the one "
            "this quote was obtained with, complete and unchanged; the policy is then issued at once."
        ),
    ] = False
    client: Annotated[
        BindClient | None, Meta(description="Contacts that replace those of the submission.")
    ] = None


class BindOutcome(StrEnum):
    """The outcome of a bind."""

    POLICY_ISSUED = "policy_issued"
    CONDITIONAL_BINDER = "conditional_binder"
    BIND_REQUESTED = "bind_requested"


class BindReceipt(QuoteReceipt, frozen=True, kw_only=True):
    """A receipt for the bound option, and the outcome of the bind."""

    outcome: Annotated[
        BindOutcome,
        Meta(
            description="`policy_issued`; `conditional_binder`, to be fulfilled within 30 days; "
            "`bind_requested`: an underwriter decides."
        ),
    ]
    quote_status: QuoteStatus
    policy_number: Annotated[
        PolicyNumber | None, Meta(description="Null while an underwriter has to decide.")
    ]


class BindResponse(Struct, frozen=True, kw_only=True):
    """The answer to a bind; the same bind sent again is answered with it, whatever happened since."""

    company_id: CompanyId
    quotes: Annotated[list[BindReceipt], Meta(description="One: that of the bound option.")]


class InsuredReason(StrEnum):
    """Why an insured cancels."""

    INSURED_REQUEST = "insured_request"
    BUSINESS_SOLD = "business_sold"
    REWRITTEN = "rewritten"
    NOT_TAKEN_UP = "not_taken_up"


class CancellationAsk(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of POST `/quotes/{identifier}/request_cancellation`."""

    effective: Annotated[
        date,
        Meta(
            description="The day from which there should be no coverage: today or later and before the "
            "policy ends, or the first day of the term."
        ),
    ]
    reason: InsuredReason
    text: Annotated[
        Annotated[Lines, Meta(max_length=1000)] | None, Meta(description="More for the underwriter to know.")
    ] = ""


class StandingResponse(Struct, frozen=True, kw_only=True):
    """The result of the partner's request, and the status of the quote after it."""

    message: Annotated[str, Meta(description="One sentence for a person.")]
    quote_identifier: QuoteIdentifier
    quote_status: QuoteStatus


class RequestRenewalResponse(Struct, frozen=True, kw_only=True):
    """The renewal that was asked for."""

    message: Annotated[str, Meta(description="One sentence for a person.")]
    quote_identifier: QuoteIdentifier
    renewed_by: Annotated[
        Uuid, Meta(description="Identifier of the quote that renews the policy: `GET` it for the offer.")
    ]


class PauseRenewalResponse(Struct, frozen=True):
    """Confirms that the policy does not renew automatically."""

    message: Annotated[str, Meta(description="One sentence for a person.")]
