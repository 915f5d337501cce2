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


class UploadReceipt(Struct, frozen=True, kw_only=True):
    """What was taken in of an uploaded file."""

    document_id: str
    quote_identifier: str
    contingency: str | None
    name: str
    content_type: str
    size: Annotated[int, Meta(description="Bytes.")]
    sha256: str
