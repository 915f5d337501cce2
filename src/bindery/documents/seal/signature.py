"""The signature in a sealed PDF: where its bytes are, and what they say."""

import io
from dataclasses import dataclass
from typing import Final

from asn1crypto.cms import ContentInfo, SignerInfo
from asn1crypto.x509 import Certificate, Name
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation.generic_cms import extract_certs_for_validation, validate_sig_integrity
from pyhanko.sign.validation.pdf_embedded import EmbeddedPdfSignature

HEX: Final = frozenset(b"0123456789abcdefABCDEF")


class SignatureMalformed(ValueError):
    """The place of the signature holds anything but a signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSignature:
    """Whether it is about a content with that digest, whether the key made it, and whose key that is."""

    is_of_content: bool
    is_genuine: bool
    certificate: Certificate


def newest_signature(pdf: bytes) -> EmbeddedPdfSignature:
    signatures: list[EmbeddedPdfSignature] = PdfFileReader(io.BytesIO(pdf)).embedded_regular_signatures
    return signatures[-1]


def place_of(signature: EmbeddedPdfSignature) -> tuple[int, int]:
    """Return from where to where the file holds the signature, which alone it does not cover."""
    begin, length, end, _ = map(int, signature.byte_range)
    if begin or not 0 < length < end:
        raise SignatureMalformed("the range does not begin with the file")
    return length, end


def content_of(pdf: bytes, signature: EmbeddedPdfSignature) -> ContentInfo:
    """Return what stands in the place of the signature, where nothing else may stand.

    What a signature does not cover could be changed: so it has to be a signature to the last digit, between
    `<` and `>`, and zeros after it.

    Raises:
        SignatureMalformed: something else is there.
    """
    begin, end = place_of(signature)
    place = pdf[begin:end]
    if place[:1] != b"<" or place[-1:] != b">" or not HEX.issuperset(place[1:-1]) or len(place) % 2:
        raise SignatureMalformed("it is not written as a string of digits")
    raw = bytes.fromhex(place[1:-1].decode())
    content = ContentInfo.load(raw)
    signed = content.dump()
    if raw[: len(signed)] != signed or raw[len(signed) :].strip(b"\0") or signature.pkcs7_content != raw:
        raise SignatureMalformed("it holds more than a signature")
    return content


def signer_in(content: ContentInfo) -> SignerInfo:
    (signer,) = content["content"]["signer_infos"]
    return signer


def check_signature(content: ContentInfo, digest: bytes, *, kind: str) -> CheckedSignature:
    """Check a signature over content of a kind with that digest; whether to trust its key is not asked."""
    certificate = extract_certs_for_validation(content["content"]).signer_cert
    is_of_content, is_genuine = validate_sig_integrity(
        signer_in(content), certificate, expected_content_type=kind, actual_digest=digest
    )
    return CheckedSignature(is_of_content=is_of_content, is_genuine=is_genuine, certificate=certificate)


def name_in(subject: Name) -> str:
    """Return the name of a certificate's owner as people write it, whatever parts it has."""
    parts = subject.native
    named = [parts.get(part) for part in ("common_name", "organization_name")]
    return ", ".join(str(part) for part in named if part) or subject.human_friendly
