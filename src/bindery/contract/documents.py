"""Kinds of document, packets, and the answers of the document operations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from bindery.contract.fields import ContingencyId, QuoteIdentifier, Uuid


class DocumentType(StrEnum):
    """The documents that can be downloaded; the last six are ours beyond the specification.

    `comparison` sets the options of a submission side by side, `certificate` shows third parties what is
    insured while a policy is in force; a notice exists once its event has happened.
    """

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
    COMPARISON = "comparison"
    CERTIFICATE = "certificate"
    CANCELLATION_NOTICE = "cancellation_notice"
    LAPSE_NOTICE = "lapse_notice"
    REINSTATEMENT_NOTICE = "reinstatement_notice"
    NONRENEWAL_NOTICE = "nonrenewal_notice"
    ENDORSEMENT = "endorsement"


@dataclass(frozen=True, slots=True)
class AboutDocument:
    """What people call a document, and what it is for."""

    name: str
    meaning: str


ABOUT: Final[Mapping[DocumentType, AboutDocument]] = {
    DocumentType.QUOTE_LETTER: AboutDocument("Quote letter", "the offer, with terms and price"),
    DocumentType.POLICY_SPECIMEN: AboutDocument(
        "Specimen of the policy", "the wording that a policy would have"
    ),
    DocumentType.BINDER: AboutDocument("Binder", "proof of cover until the policy"),
    DocumentType.POLICY: AboutDocument("Policy", "the policy with all its forms"),
    DocumentType.APPLICATION: AboutDocument("Application to sign", "the application to sign"),
    DocumentType.RECOMMENDATIONS: AboutDocument(
        "Security recommendations", "what would make the applicant safer"
    ),
    DocumentType.BINDER_TRIA: AboutDocument(
        "Terrorism coverage statement", "the disclosure on terrorism cover"
    ),
    DocumentType.BILLING_STATEMENT: AboutDocument("Billing statement", "what has to be paid"),
    DocumentType.SECURITY_LETTER: AboutDocument("Security letter", "what the scan found, in a letter"),
    DocumentType.SECURITY_REPORT: AboutDocument("Security report", "what the scan found, in full"),
    DocumentType.COMPARISON: AboutDocument("Comparison of the options", "the options side by side"),
    DocumentType.CERTIFICATE: AboutDocument(
        "Certificate of insurance", "shows third parties what is insured"
    ),
    DocumentType.CANCELLATION_NOTICE: AboutDocument("Notice of cancellation", "confirms a cancellation"),
    DocumentType.LAPSE_NOTICE: AboutDocument("Notice of lapse", "says that a binder lapsed"),
    DocumentType.REINSTATEMENT_NOTICE: AboutDocument("Notice of reinstatement", "says that cover is back"),
    DocumentType.NONRENEWAL_NOTICE: AboutDocument(
        "Notice of nonrenewal", "says that the insurer does not renew the policy"
    ),
    DocumentType.ENDORSEMENT: AboutDocument(
        "Endorsement", "says what of the policy was changed, with new declarations"
    ),
}


class PacketType(StrEnum):
    """The packets whose forms can be listed."""

    QUOTE = "quote"
    BINDER = "binder"
    POLICY = "policy"


class PacketDocument(Struct, frozen=True, kw_only=True):
    """One form of a packet."""

    form_number: Annotated[
        str, Meta(description="Number and edition of the form.", examples=["CYB P 200 01 26"])
    ]
    title: Annotated[str, Meta(description="The title of the form.")]
    edition_date: Annotated[date, Meta(description="The first day of the edition.")]
    version: Annotated[
        int,
        Meta(ge=1, description="The newest version of the document that carries the form; 1 for others."),
    ] = 1


class PacketMetadata(Struct, frozen=True, kw_only=True):
    """The forms of a packet, frozen when it was made; empty while it does not exist."""

    version: Annotated[
        Annotated[int, Meta(ge=1)] | UnsetType,
        Meta(
            description="The highest version among the documents of the packet: 1 when it was made, one more "
            "with each change of what they say. Absent while the packet does not exist."
        ),
    ] = UNSET
    documents: Annotated[
        list[PacketDocument], Meta(description="The forms, in the order of the packet.")
    ] = []


class UploadFinding(StrEnum):
    """What an uploaded file turned out to be; only files for the signature contingency are compared."""

    MATCHED = "matched"
    ALTERED = "altered"
    OTHER_QUOTE = "other_quote"
    NOT_RECOGNIZED = "not_recognized"
    UNREADABLE = "unreadable"
    DAMAGED = "damaged"
    NOT_COMPARED = "not_compared"


class SignatureFinding(StrEnum):
    """Whether an application that was uploaded for the signature contingency is signed."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    CANNOT_TELL = "cannot_tell"


class UploadPages(Struct, frozen=True, kw_only=True):
    """How much of the application a file has."""

    found: Annotated[int, Meta(description="Pages of the application in the file.", examples=[2])]
    of: Annotated[int, Meta(description="Pages that the application has.", examples=[3])]


SIGNATURE_SEEN: Final = Meta(
    description="For a file for the signature contingency: `found`; `not_found`, the place for the "
    "signature is empty, as in the file that was issued; `cannot_tell`, that place cannot be seen, as on a "
    "poor photo. A bind with `app_attestation` is refused on `not_found`. Null for other files."
)
PAGES_SEEN: Final = Meta(
    description="The pages of the application in the file; files for the same quote add up. Null where "
    "that is not known, and for other files."
)


class UploadReceipt(Struct, frozen=True, kw_only=True):
    """What was received as an uploaded file, and what it turned out to be."""

    document_id: Annotated[Uuid, Meta(description="Identifies the upload.")]
    quote_identifier: QuoteIdentifier
    contingency: Annotated[
        ContingencyId | None, Meta(description="The contingency that it was sent for; null for none.")
    ]
    name: Annotated[str, Meta(description="What it is called.")]
    content_type: Annotated[str, Meta(description="The kind of file, by its content.")]
    size: Annotated[int, Meta(description="Bytes.")]
    sha256: Annotated[
        str,
        Meta(
            description="The hash of its content, in hexadecimal.",
            extra_json_schema={"pattern": "^[0-9a-f]{64}$", "maxLength": 64},
        ),
    ]
    finding: Annotated[
        UploadFinding,
        Meta(
            description="For a file for the signature contingency: `matched`, the application issued with "
            "the quote, or with another option and the same answers; `altered`, that application changed, or "
            "with words added outside the signature's part; `other_quote`, the application of another "
            "quote; `not_recognized`, readable, but not an application of ours; `unreadable`, nothing to "
            "compare could be read, as in a poor scan or an encrypted file. For any file: `damaged`, it "
            "cannot be opened; upload it again. For a file for anything else: `not_compared`. A bind with "
            "`app_attestation` is refused on `altered`, `other_quote` and `damaged`."
        ),
    ]
    signature: Annotated[SignatureFinding | None, SIGNATURE_SEEN]
    pages: Annotated[UploadPages | None, PAGES_SEEN]
    message: Annotated[str, Meta(description="All of this in a sentence or two, and what to do about it.")]


class UploadForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file for a quote, sent as `multipart/form-data`; one file a request."""

    quote_identifier: Annotated[str, Meta(description="The quote that the file is for.")]
    file: Annotated[
        str,
        Meta(
            description="PDF, PNG, JPEG, TIFF or DOCX by its content; at most 25 MB.",
            extra_json_schema={
                "format": "binary",
                "contentMediaType": "application/octet-stream",
            },
        ),
    ]
    contingency: Annotated[
        str | None, Meta(description="The `contingency_id` of the quote that the file fulfills.")
    ] = None
    name: Annotated[
        Annotated[str, Meta(max_length=255)] | None,
        Meta(description="What to call it; the file's own name when not given."),
    ] = None
