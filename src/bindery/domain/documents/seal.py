"""The seal of a document: the key that makes it, and what is found of one in a file."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class SealKey:
    """A private key as PKCS #8, and its certificate, followed by those that vouch for it; all in DER."""

    private_key: bytes = field(repr=False)
    certificates: tuple[bytes, ...]

    @property
    def sha256(self) -> bytes:
        return fingerprint_of(self.certificates[0])


def fingerprint_of(certificate: bytes) -> bytes:
    return hashlib.sha256(certificate).digest()


MOST_BYTES: Final = 25 * 1024 * 1024
"""Of a file that is looked at, as of an upload; a sealed application has a tenth of a megabyte."""


class SealFlaw(StrEnum):
    """Why a file does not count as sealed."""

    NOT_A_PDF = "not_a_pdf"
    TOO_LARGE = "too_large"
    TOO_COSTLY = "too_costly"
    UNREADABLE = "unreadable"
    ENCRYPTED = "encrypted"
    NOT_SEALED = "not_sealed"
    ADDED_TO = "added_to"
    CHANGED = "changed"
    SEAL_DAMAGED = "seal_damaged"
    UNKNOWN_CERTIFICATE = "unknown_certificate"
    CERTIFICATE_NOT_VALID = "certificate_not_valid"
    STAMP_DAMAGED = "stamp_damaged"


SENTENCES: Final[Mapping[SealFlaw, str]] = {
    SealFlaw.NOT_A_PDF: "It is not a PDF.",
    SealFlaw.TOO_LARGE: "It is larger than any document that the service seals.",
    SealFlaw.TOO_COSTLY: "Reading it takes more time or memory than any document that the service seals.",
    SealFlaw.UNREADABLE: "It cannot be read: it is damaged or cut off.",
    SealFlaw.ENCRYPTED: "It is encrypted; the service seals no encrypted file.",
    SealFlaw.NOT_SEALED: "It carries no seal: it never had one, or somebody removed it.",
    SealFlaw.ADDED_TO: "Something was added to it after it was sealed.",
    SealFlaw.CHANGED: "It was changed after it was sealed.",
    SealFlaw.SEAL_DAMAGED: "The seal itself was damaged or forged.",
    SealFlaw.UNKNOWN_CERTIFICATE: "The seal was made with another certificate than those to be trusted.",
    SealFlaw.CERTIFICATE_NOT_VALID: "The certificate was not valid when the seal was made.",
    SealFlaw.STAMP_DAMAGED: "The time stamp does not belong to this seal.",
}


class StampRefused(ValueError):
    """What a time-stamp server answered is no stamp of the seal; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What a time-stamp server vouched for: when the seal existed."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealReport:
    """What was found of a seal; what it says of itself counts only where there is no flaw."""

    flaws: tuple[SealFlaw, ...]
    sealed_by: str | None = None
    sealed_at: datetime | None = None
    certificate_sha256: str | None = None
    stamp: Stamp | None = None
