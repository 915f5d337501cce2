"""Keys, sealed documents, a time-stamp server, and what somebody might do to a sealed document."""

import hashlib
import io
import re
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

import pikepdf
from asn1crypto import cms, keys, tsp
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner
from pyhanko.sign.timestamps.dummy_client import DummyTimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.seal import seal_pdf
from bindery.domain.documents.seal import SealFlaw, SealKey
from bindery.outside.seal_keys import as_pem, make_seal_key
from documents.reading import plain_document

AT: Final = datetime(2026, 11, 18, 12, 30, 15, tzinfo=UTC)
STAMPED: Final = datetime(2026, 11, 18, 12, 30, 16, tzinfo=UTC)
F: Final = SealFlaw
name, text, number = generic.NameObject, generic.TextStringObject, generic.NumberObject


@cache
def key_of(host: str = "quotes.example.com") -> SealKey:
    return make_seal_key(host, at=AT - timedelta(days=30))


@cache
def sealed(kind: DocumentType = DocumentType.APPLICATION, *, room_for_stamp: bool = False) -> bytes:
    pdf = plain_document(kind, InsuranceProduct.CYB)
    return seal_pdf(pdf, key_of(), at=AT, room_for_stamp=room_for_stamp)


def pem_of(key: SealKey) -> bytes:
    """A key as an operator keeps it in a file."""
    private = load_der_private_key(key.private_key, None)
    return (
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + as_pem(key.certificates).encode()
    )


def weak_imprint(pdf: bytes) -> tsp.MessageImprint:
    (signer,) = signature_of(pdf)["content"]["signer_infos"]
    digest = hashlib.sha1(signer["signature"].native).digest()
    return tsp.MessageImprint({"hash_algorithm": {"algorithm": "sha1"}, "hashed_message": digest})


class StampServer:
    """A time-stamp server with a certificate of its own."""

    def __init__(self, *usages: x509.ObjectIdentifier) -> None:
        key = rsa.generate_private_key(65537, 1024)
        named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Example Time")])
        certificate = (
            x509.CertificateBuilder()
            .subject_name(named)
            .issuer_name(named)
            .public_key(key.public_key())
            .serial_number(7)
            .not_valid_before(AT - timedelta(days=1))
            .not_valid_after(AT + timedelta(days=1))
            .add_extension(
                x509.ExtendedKeyUsage(usages or [ExtendedKeyUsageOID.TIME_STAMPING]), critical=True
            )
            .sign(key, SHA256())
        )
        private = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        self._stamper = DummyTimeStamper(
            asn1_x509.Certificate.load(certificate.public_bytes(Encoding.DER)),
            keys.PrivateKeyInfo.load(private),
            fixed_dt=STAMPED,
        )

    def answer(self, request: bytes, **changes: Any) -> bytes:
        """Answer a request, or one that is changed."""
        asked = tsp.TimeStampReq.load(request)
        for field, value in changes.items():
            asked[field] = value
        answered: bytes = self._stamper.request_tsa_response(asked).dump()
        return answered


# What somebody might do, and what is then found.

Change = Callable[[IncrementalPdfFileWriter], None]


def appended(pdf: bytes, change: Change) -> bytes:
    """The file with an update at its end, as programs write it who keep what is there."""
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def rewritten(pdf: bytes, change: Callable[[pikepdf.Pdf], None], **options: Any) -> bytes:
    """The file as programs write it that read it and write everything anew."""
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        change(opened)
        out = io.BytesIO()
        opened.save(out, **options)
    return out.getvalue()


def flipped(pdf: bytes, at: int) -> bytes:
    return pdf[:at] + bytes([pdf[at] ^ 1]) + pdf[at + 1 :]


def swapped(pdf: bytes, before: bytes, after: bytes) -> bytes:
    assert before in pdf
    assert len(before) == len(after)
    return pdf.replace(before, after, 1)


def hole_of(pdf: bytes) -> tuple[int, int]:
    found = re.search(rb"/ByteRange \[0 (\d+) (\d+) \d+", pdf)
    assert found is not None
    return int(found[1]), int(found[2])


def with_signature(pdf: bytes, content: bytes) -> bytes:
    """The file with another signature in the place of its own."""
    begin, end = hole_of(pdf)
    return pdf[:begin] + b"<" + content.hex().encode().ljust(end - begin - 2, b"0") + b">" + pdf[end:]


def signature_of(pdf: bytes) -> cms.ContentInfo:
    begin, end = hole_of(pdf)
    return cms.ContentInfo.load(bytes.fromhex(pdf[begin + 1 : end - 1].decode()))


def _page(writer: IncrementalPdfFileWriter, place: int = 0) -> Any:
    return writer.find_page_for_modification(place)[0].get_object()


def _fields(writer: IncrementalPdfFileWriter) -> dict[str, Any]:
    fields = [field.get_object() for field in writer.root["/AcroForm"]["/Fields"]]
    return {str(field["/T"]): field for field in fields}


def fill_in_field(writer: IncrementalPdfFileWriter) -> None:
    field = _fields(writer)["title"]
    field[name("/V")] = text("Owner")
    writer.update_container(field)


def add_note(writer: IncrementalPdfFileWriter) -> None:
    page = _page(writer)
    rectangle = generic.ArrayObject(map(number, (10, 10, 100, 100)))
    note = generic.DictionaryObject(
        {
            name("/Type"): name("/Annot"),
            name("/Subtype"): name("/FreeText"),
            name("/Rect"): rectangle,
            name("/Contents"): text("Void"),
        }
    )
    page["/Annots"].append(writer.add_object(note))
    writer.update_container(page["/Annots"])


def replace_content(writer: IncrementalPdfFileWriter) -> None:
    page = _page(writer)
    page[name("/Contents")] = writer.add_object(generic.StreamObject(stream_data=b"BT ET"))


def hide_content(writer: IncrementalPdfFileWriter) -> None:
    """Put something over what is there that only shows when a layer is switched on."""
    page = _page(writer)
    stream = generic.StreamObject(stream_data=b"/OC /Later BDC 0 0 612 792 re f EMC")
    page[name("/Contents")] = generic.ArrayObject([page.raw_get("/Contents"), writer.add_object(stream)])


def turn_pages_around(writer: IncrementalPdfFileWriter) -> None:
    pages = writer.root["/Pages"]
    pages["/Kids"].reverse()
    writer.update_container(pages)


def remove_page(writer: IncrementalPdfFileWriter) -> None:
    pages = writer.root["/Pages"]
    del pages["/Kids"][-1]
    pages[name("/Count")] = number(len(pages["/Kids"]))
    writer.update_container(pages)


def add_page(writer: IncrementalPdfFileWriter) -> None:
    box = generic.ArrayObject(map(number, (0, 0, 612, 792)))
    pages = writer.root["/Pages"]
    page = generic.DictionaryObject(
        {name("/Type"): name("/Page"), name("/MediaBox"): box, name("/Parent"): writer.root.raw_get("/Pages")}
    )
    pages["/Kids"].append(writer.add_object(page))
    pages[name("/Count")] = number(len(pages["/Kids"]))
    writer.update_container(pages)


def run_script(writer: IncrementalPdfFileWriter) -> None:
    action = {name("/S"): name("/JavaScript"), name("/JS"): text("app.alert('hello')")}
    writer.root[name("/OpenAction")] = generic.DictionaryObject(action)
    writer.update_root()


def add_xfa(writer: IncrementalPdfFileWriter) -> None:
    stream = generic.StreamObject(stream_data=b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'/>")
    writer.root["/AcroForm"][name("/XFA")] = writer.add_object(stream)
    writer.update_container(writer.root["/AcroForm"])


def take_seal_out(writer: IncrementalPdfFileWriter) -> None:
    field = _fields(writer)["Seal"]
    del field["/V"]
    writer.update_container(field)


def take_certification_out(writer: IncrementalPdfFileWriter) -> None:
    del writer.root["/Perms"]
    writer.update_root()


def signed(pdf: bytes, key: SealKey) -> bytes:
    """The file with somebody's signature in a field of its own."""
    signer = SimpleSigner(
        signing_cert=asn1_x509.Certificate.load(key.certificates[0]),
        signing_key=keys.PrivateKeyInfo.load(key.private_key),
        cert_registry=SimpleCertificateStore(),
    )
    metadata = PdfSignatureMetadata(field_name="Other", md_algorithm="sha256")
    out: bytes = PdfSigner(metadata, signer).sign_pdf(IncrementalPdfFileWriter(io.BytesIO(pdf))).getvalue()
    return out


def drop_form(writer: IncrementalPdfFileWriter) -> None:
    del writer.root["/AcroForm"]
    writer.update_root()


def exchange_data(pdf: pikepdf.Pdf) -> None:
    pdf.Root.AF[0].EF.F.write(b'{"premium": 1}')


def change_title(pdf: pikepdf.Pdf) -> None:
    pdf.docinfo["/Title"] = "Another title"


def change_words(pdf: pikepdf.Pdf) -> None:
    page = pdf.pages[0]
    page.contents_coalesce()
    page.obj.Contents = pdf.make_stream(page.obj.Contents.read_bytes() + b" BT /F 9 Tf (more) Tj ET")


def drop_last_page(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[-1]


def put_last_page_first(pdf: pikepdf.Pdf) -> None:
    pdf.pages.reverse()


def put_page_of_another(pdf: pikepdf.Pdf) -> None:
    with pikepdf.open(io.BytesIO(plain_document(DocumentType.QUOTE_LETTER, InsuranceProduct.CYB))) as other:
        pdf.pages.append(other.pages[0])


def with_other_certificate(pdf: bytes) -> bytes:
    """A seal of a stranger that shows the service's certificate instead of the stranger's."""
    foreign = seal_pdf(pdf, key_of("foreign.example"), at=AT)
    content = signature_of(foreign)
    own = asn1_x509.Certificate.load(key_of().certificates[0])
    (signer,) = content["content"]["signer_infos"]
    signer["sid"] = cms.SignerIdentifier(
        {"issuer_and_serial_number": {"issuer": own.issuer, "serial_number": own.serial_number}}
    )
    content["content"]["certificates"] = [own]
    return with_signature(foreign, content.dump())


def packed_objects(size: int) -> bytes:
    """A file whose table of objects unpacks to far more than the file."""
    packed = zlib.compress(bytes(size), 1)
    entries = b"/Type/XRef/Size 1/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length %d"
    head = b"%%PDF-1.7\n1 0 obj\n<<" + entries + b">>\nstream\n"
    return head % len(packed) + packed + b"\nendstream\nendobj\nstartxref\n9\n%%EOF"


def nested(depth: int) -> bytes:
    """A file whose catalog is an array in an array in an array."""
    return (
        b"%PDF-1.7\n1 0 obj\n" + b"[" * depth + b"]" * depth + b"\nendobj\n"
        b"xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R>>\n"
        b"startxref\n%d\n%%%%EOF" % (9 + len(b"1 0 obj\n\nendobj\n") + 2 * depth)
    )


def going_round() -> bytes:
    """A file whose table of objects names itself as the one before it."""
    return (
        b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n"
        b"xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R/Prev 44>>\n"
        b"startxref\n44\n%%EOF"
    )
