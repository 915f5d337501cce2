"""The body of POST `/binds` and its answer."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

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
    additional_contacts: (
        Annotated[list[AdditionalContact], Meta(max_length=MAX_ADDITIONAL_CONTACTS)] | UnsetType | None
    ) = UNSET


class BindRequest(Struct, frozen=True, kw_only=True):
    """A request to bind one quote."""

    quote_identifier: Annotated[str, Meta(min_length=1)]
    dates: PolicyDates
    app_attestation: Annotated[
        bool | None,
        Meta(
            description="True attests that the application uploaded for the signature contingency is the one "
            "this quote was obtained with, complete and unchanged; the policy is then issued at once."
        ),
    ] = False
    client: BindClient | None = None


class BindOutcome(StrEnum):
    """What came of a bind."""

    POLICY_ISSUED = "policy_issued"
    CONDITIONAL_BINDER = "conditional_binder"
    BIND_REQUESTED = "bind_requested"


class BindReceipt(QuoteReceipt, frozen=True, kw_only=True):
    """A receipt for the bound option, and what came of the bind."""

    outcome: Annotated[
        BindOutcome,
        Meta(
            description="`policy_issued`; `conditional_binder`, to be fulfilled within 30 days; "
            "`bind_requested`: an underwriter decides."
        ),
    ]
    quote_status: QuoteStatus
    policy_number: Annotated[str | None, Meta(description="Null while an underwriter has to decide.")]


class BindResponse(Struct, frozen=True, kw_only=True):
    """The answer to a bind; the same bind sent again is answered with it, whatever happened since."""

    company_id: str
    quotes: Annotated[list[BindReceipt], Meta(description="One: that of the bound option.")]


class PauseRenewalResponse(Struct, frozen=True):
    """Confirms that the policy does not renew automatically."""

    message: str
