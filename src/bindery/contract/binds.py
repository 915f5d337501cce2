"""The body of POST `/binds`."""

from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.quotes import (
    MAX_ADDITIONAL_CONTACTS,
    AdditionalContact,
    InsuredMainContact,
    PolicyDates,
)


class BindClient(Struct, frozen=True, kw_only=True):
    """Contacts that replace those on file."""

    insured_main_contact: InsuredMainContact
    additional_contacts: Annotated[list[AdditionalContact], Meta(max_length=MAX_ADDITIONAL_CONTACTS)] = []


class BindRequest(Struct, frozen=True, kw_only=True):
    """A request to bind one quote."""

    quote_identifier: Annotated[str, Meta(min_length=1)]
    dates: PolicyDates
    app_attestation: Annotated[
        bool,
        Meta(
            description="True attests that the application uploaded for the signature contingency is the one "
            "this quote was obtained with, complete and unchanged; the policy is then issued at once."
        ),
    ] = False
    client: BindClient | None = None


class PauseRenewalResponse(Struct, frozen=True):
    """Confirms that no renewal will bind itself."""

    message: str
