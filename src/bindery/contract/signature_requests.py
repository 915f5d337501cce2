"""The bodies of `/quotes/{identifier}/signature_requests`."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.fields import Lines, Moment, QuoteIdentifier, Uuid


class SignatureRequestAsk(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who shall sign the application of a quote."""

    email: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=254,
            description="Where the link and the code to sign are mailed.",
            examples=["ann@harborlight.example.com"],
        ),
    ]
    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=255)] | None,
        Meta(description="Whom to address; somebody else may sign, and that is recorded."),
    ] = None
    message: Annotated[
        Annotated[Lines, Meta(max_length=1000)] | None,
        Meta(description="A few words that the mail brings along."),
    ] = ""


class SignatureRequestStatus(StrEnum):
    """What became of a signature request.

    `declined`: the client found something wrong. `expired`: 30 days have passed, or the quote has ended.
    `revoked`: it was taken back, or a new request to the same address took its place.
    """

    SENT = "sent"
    OPENED = "opened"
    SIGNED = "signed"
    DECLINED = "declined"
    EXPIRED = "expired"
    REVOKED = "revoked"


class SignatureRequestBody(Struct, frozen=True, kw_only=True):
    """A link by which a client signs the application of a quote."""

    signature_request_id: Annotated[Uuid, Meta(description="Identifies the signature request.")]
    url: Annotated[
        str,
        Meta(description="Where the client signs. Whoever has it can read what it shows: keep it secret."),
    ]
    expires_at: Annotated[
        Moment, Meta(description="When the link ends: after 30 days, or with the quote's last day.")
    ]
    status: SignatureRequestStatus
    quote_identifier: QuoteIdentifier
    email: Annotated[str, Meta(description="Where the link was mailed.")]
    name: Annotated[str | None, Meta(description="Whom it addresses; null for nobody by name.")]
    created_at: Annotated[Moment, Meta(description="When it was sent.")]
    opened_at: Annotated[Moment | None, Meta(description="When it was first opened; null before that.")]
    openings: Annotated[int, Meta(ge=0, description="How often it was opened.")]
    settled_at: Annotated[
        Moment | None,
        Meta(description="When it was signed, declined, taken back or expired; null before that."),
    ]
    text: Annotated[str | None, Meta(description="What the client found wrong, where it is `declined`.")]
    document_id: Annotated[
        Uuid | None,
        Meta(description="The signed application among the quote's `uploads`, once it is signed."),
    ]


class SignatureRequestsResponse(Struct, frozen=True, kw_only=True):
    """The signature requests of a quote."""

    signature_requests: Annotated[
        list[SignatureRequestBody], Meta(description="The newest first, at most a hundred.")
    ]
