import io
from collections.abc import Collection
from typing import Final

from asn1crypto.cms import ContentInfo
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation.pdf_embedded import EmbeddedPdfSignature

from bindery.documents.seal.signature import check_signature, content_of, name_in, signer_in
from bindery.documents.seal.stamping import read_stamp, stamp_in
from bindery.domain.documents.seal import MOST_BYTES, SealFlaw, SealReport, Stamp, fingerprint_of

BEGINNING: Final = b"%PDF-"


def verify_seal(pdf: bytes, trusted: Collection[bytes]) -> SealReport:
    """Look whether a file is as one of the trusted certificates, in DER, sealed it.

    A seal that does not cover the file to its last byte does not count: nothing may be added to a sealed
    document, so that nobody has to judge what an addition does.
    """
    signatures = _signatures_in(pdf)
    if isinstance(signatures, SealFlaw):
        return SealReport(flaws=(signatures,))
    reports = [_report(pdf, signature, trusted) for signature in signatures]
    # Somebody else's signature next to the seal: what became of the seal is what is asked.
    return min(reports, key=lambda report: (SealFlaw.UNKNOWN_CERTIFICATE in report.flaws, len(report.flaws)))


def _signatures_in(pdf: bytes) -> list[EmbeddedPdfSignature] | SealFlaw:
    if not pdf.startswith(BEGINNING):
        return SealFlaw.NOT_A_PDF
    if len(pdf) > MOST_BYTES:
        return SealFlaw.TOO_LARGE
    try:
        reader = PdfFileReader(io.BytesIO(pdf))
        signatures = [] if reader.encrypted else reader.embedded_regular_signatures
    except (MemoryError, RecursionError):
        return SealFlaw.TOO_COSTLY
    except Exception:  # noqa: BLE001 - the library raises anything over a broken file
        return SealFlaw.UNREADABLE
    if reader.encrypted:
        return SealFlaw.ENCRYPTED
    return signatures or SealFlaw.NOT_SEALED


def _report(pdf: bytes, signature: EmbeddedPdfSignature, trusted: Collection[bytes]) -> SealReport:
    try:
        content = content_of(pdf, signature)
        checked = check_signature(content, signature.compute_digest(), kind="data")
        _, _, begin, length = map(int, signature.byte_range)
        sealed_at = signature.self_reported_timestamp
        is_in_time = checked.certificate.not_valid_before <= sealed_at <= checked.certificate.not_valid_after
    except Exception:  # noqa: BLE001 - as above
        return SealReport(flaws=(SealFlaw.SEAL_DAMAGED,))
    stamp = _stamp(content)
    certificate = checked.certificate.dump()
    found = {
        SealFlaw.ADDED_TO: begin + length < len(pdf),
        SealFlaw.CHANGED: not checked.is_of_content,
        SealFlaw.SEAL_DAMAGED: not checked.is_genuine,
        SealFlaw.UNKNOWN_CERTIFICATE: certificate not in trusted,
        SealFlaw.CERTIFICATE_NOT_VALID: not is_in_time,
        SealFlaw.STAMP_DAMAGED: stamp is SealFlaw.STAMP_DAMAGED,
    }
    return SealReport(
        flaws=tuple(flaw for flaw, is_there in found.items() if is_there),
        sealed_by=name_in(checked.certificate.subject),
        sealed_at=sealed_at,
        certificate_sha256=fingerprint_of(certificate).hex(),
        stamp=stamp if isinstance(stamp, Stamp) else None,
    )


def _stamp(content: ContentInfo) -> Stamp | SealFlaw | None:
    signer = signer_in(content)
    try:
        token = stamp_in(signer)
        return None if token is None else read_stamp(token, signer)
    except Exception:  # noqa: BLE001 - as above
        return SealFlaw.STAMP_DAMAGED
