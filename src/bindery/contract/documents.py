"""Kinds of document, packets, and the answers of the document operations."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct


class DocumentType(StrEnum):
    """The documents that can be downloaded."""

    QUOTE_LETTER = "quote_letter"
    POLICY_SPECIMEN = "policy_specimen"
    BINDER = "binder"
    POLICY = "policy"
    APPLICATION = "application"
    RECOMMENDATIONS = "recommendations"
    BINDER_TRIA = "binder_tria"
    BILLING_STATEMENT = "billing_statement"
    SECURITY_LETTER = "security_letter"
    SECURITY_REPORT = "security_report"


class PacketType(StrEnum):
    """The packets whose forms can be listed."""

    QUOTE = "quote"
    BINDER = "binder"
    POLICY = "policy"


class PacketDocument(Struct, frozen=True, kw_only=True):
    """One form of a packet."""

    form_number: Annotated[str, Meta(examples=["CYB P 200 01 26"])]
    title: str
    edition_date: date


class PacketMetadata(Struct, frozen=True, kw_only=True):
    """The forms of a packet, frozen when it was made; empty while it does not exist."""

    documents: list[PacketDocument] = []


class UploadFinding(StrEnum):
    """What an uploaded file turned out to be; only files for the signature contingency are compared."""

    MATCHED = "matched"
    ALTERED = "altered"
    OTHER_QUOTE = "other_quote"
    NOT_RECOGNIZED = "not_recognized"
    UNREADABLE = "unreadable"
    DAMAGED = "damaged"
    NOT_COMPARED = "not_compared"


class UploadReceipt(Struct, frozen=True, kw_only=True):
    """What was taken in of an uploaded file, and what it turned out to be."""

    document_id: str
    quote_identifier: str
    contingency: str | None
    name: str
    content_type: str
    size: Annotated[int, Meta(description="Bytes.")]
    sha256: str
    finding: Annotated[
        UploadFinding,
        Meta(
            description="Of a file for the signature contingency: `matched`, the application issued with the "
            "quote; `altered`, that application with changes; `other_quote`, the application of another "
            "quote; `not_recognized`, readable, but no application of ours; `unreadable`, nothing to compare "
            "could be read, as in a coarse scan or an encrypted file. Of any file: `damaged`, it cannot be "
            "opened, upload it again. Of a file for anything else: `not_compared`. A bind with "
            "`app_attestation` is refused on `altered`, `other_quote` and `damaged`."
        ),
    ]
    message: Annotated[str, Meta(description="The finding in a sentence, and what to do about it.")]


class UploadForm(Struct, frozen=True, kw_only=True):
    """A file for a quote, sent as `multipart/form-data`; one file a request."""

    quote_identifier: str
    file: Annotated[
        str,
        Meta(
            description="PDF, PNG, JPEG, TIFF or DOCX by its content; at most 25 MB.",
            extra_json_schema={"contentMediaType": "application/octet-stream"},
        ),
    ]
    contingency: Annotated[
        str | None, Meta(description="The `contingency_id` of the quote that the file fulfils.")
    ] = None
    name: (
        Annotated[
            str, Meta(max_length=255, description="What to call it; the file's own name when not given.")
        ]
        | None
    ) = None
