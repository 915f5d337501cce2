import io
from datetime import datetime
from typing import Final

from asn1crypto.keys import PrivateKeyInfo
from asn1crypto.x509 import Certificate
from pyhanko.pdf_utils.generic import pdf_name
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.writer import BasePdfFileWriter
from pyhanko.sign.fields import MDPPerm, SigFieldSpec, SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner
from pyhanko.sign.signers.constants import ESIC_EXTENSION_1
from pyhanko.sign.signers.pdf_signer import PdfSigningSession
from pyhanko_certvalidator.registry import SimpleCertificateStore

from bindery.domain.documents.seal import SealKey

FIELD: Final = "Seal"
LABEL: Final = "Seal of the service"
REASON: Final = "Shows later changes of this document"
SIGNATURE_BYTES: Final = 2_048
"""Room for a signature and what it names, without certificates."""
STAMP_BYTES: Final = 12_288
"""Room for a time stamp; those of public servers take 3 to 8 KB with their certificates."""


def seal_pdf(pdf: bytes, key: SealKey, *, at: datetime, room_for_stamp: bool = False) -> bytes:
    """Certify a PDF that no one may change any more; the seal is appended and nothing of it is seen.

    The signature is of level PAdES B-B; with a stamp, B-T.
    """
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    page = writer.find_page_for_modification(0)[0]
    # A page with a field says in which order its fields are reached (PDF/UA, 7.18.3).
    page.get_object()[pdf_name("/Tabs")] = pdf_name("/S")
    own, *vouching = (Certificate.load(certificate) for certificate in key.certificates)
    signer = _Signer(
        PdfSignatureMetadata(
            field_name=FIELD,
            md_algorithm="sha256",
            reason=REASON,
            subfilter=SigSeedSubFilter.PADES,
            certify=True,
            docmdp_permissions=MDPPerm.NO_CHANGES,
        ),
        SimpleSigner(
            signing_cert=own,
            signing_key=PrivateKeyInfo.load(key.private_key),
            cert_registry=SimpleCertificateStore.from_certs(vouching),
        ),
        new_field_spec=SigFieldSpec(FIELD, on_page=0, readable_field_name=LABEL),
        at=at,
    )
    room = SIGNATURE_BYTES + sum(map(len, key.certificates)) + (STAMP_BYTES if room_for_stamp else 0)
    out = signer.sign_pdf(writer, bytes_reserved=2 * room)
    sealed: bytes = out.getvalue()
    return sealed


class _Signer(PdfSigner):
    def __init__(
        self,
        metadata: PdfSignatureMetadata,
        signer: SimpleSigner,
        *,
        new_field_spec: SigFieldSpec,
        at: datetime,
    ) -> None:
        super().__init__(metadata, signer, new_field_spec=new_field_spec)
        self._at = at

    def init_signing_session(
        self, pdf_out: BasePdfFileWriter, existing_fields_only: bool = False
    ) -> PdfSigningSession:
        session = super().init_signing_session(pdf_out, existing_fields_only=existing_fields_only)
        session.system_time = self._at
        return session

    def register_extensions(self, pdf_out: BasePdfFileWriter, *, md_algorithm: str) -> None:  # noqa: ARG002
        """Declare what PAdES asks for in PDF 1.7.

        Over an elliptic curve the library would declare PDF 2.0, which PDF/A-2 and 3 do not know.
        """
        pdf_out.register_extension(ESIC_EXTENSION_1)
