"""Files as people send them: signed copies, scans, photos, and files made to do harm."""

import io
import tempfile
import zipfile
import zlib

import pikepdf
import pypdfium2 as pdfium
import segno
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from bindery.domain.documents.application_matching import PaperReading
from bindery.domain.documents.file_types import PaperType
from bindery.outside.upload_reader.reader import UploadReader


async def read_paper(reader: UploadReader, content: bytes, kind: PaperType) -> PaperReading:
    """Read bytes as a file."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        return await reader.read(file, kind)


def letter(*lines: str, picture: bytes | None = None) -> bytes:
    """A one-page PDF with lines of text, and perhaps a small picture."""
    file = io.BytesIO()
    canvas = Canvas(file, pageCompression=1, invariant=1)
    for number, line in enumerate(lines):
        canvas.drawString(50, 780 - 16 * number, line)
    if picture is not None:
        canvas.drawImage(ImageReader(io.BytesIO(picture)), 400, 100, 120, 120)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def qr_code(text: str, kind: str = "PNG") -> bytes:
    """A picture of a code."""
    file = io.BytesIO()
    segno.make(text).save(file, kind="png", scale=4, border=4)
    return as_picture(Image.open(file), kind)


def as_picture(image: Image.Image, kind: str) -> bytes:
    file = io.BytesIO()
    image.convert("RGB").save(file, kind)
    return file.getvalue()


def signed(application: bytes, **values: str) -> bytes:
    """An application of ours with its form filled in, as somebody signs it on the screen."""
    values = values or {"name": "Ann Example", "title": "President", "date": "November 16, 2026"}
    with pikepdf.open(io.BytesIO(application)) as pdf:
        for field in pdf.Root.AcroForm.Fields:
            if str(field.T) in values:
                field.V = pikepdf.String(values[str(field.T)])
        return _saved(pdf)


def stamped(document: bytes, *words: str) -> bytes:
    """The document with words written over its last page, as electronic signing does it."""
    stamp = letter(*words)
    with pikepdf.open(io.BytesIO(document)) as pdf, pikepdf.open(io.BytesIO(stamp)) as over:
        pdf.pages[-1].add_overlay(over.pages[0], None)
        return _saved(pdf)


def encrypted(document: bytes, password: str = "secret") -> bytes:
    with pikepdf.open(io.BytesIO(document)) as pdf:
        return _saved(pdf, encryption=pikepdf.Encryption(owner="owner", user=password))


def _saved(pdf: pikepdf.Pdf, **options: object) -> bytes:
    file = io.BytesIO()
    pdf.save(file, **options)  # type: ignore[arg-type]  # options of the library
    return file.getvalue()


def photos(document: bytes, scale: float = 2.0) -> list[Image.Image]:
    """The pages of a document as pictures."""
    pdf = pdfium.PdfDocument(document)
    try:
        return [pdf[number].render(scale=scale).to_pil().convert("L") for number in range(len(pdf))]
    finally:
        pdf.close()


def scanned(document: bytes, scale: float = 2.0) -> bytes:
    """The document printed and scanned: a PDF whose pages are pictures."""
    first, *others = photos(document, scale)
    file = io.BytesIO()
    first.save(file, "PDF", save_all=True, append_images=others)
    return file.getvalue()


def word_document(*paragraphs: str, extra: dict[str, bytes] | None = None, doctype: str = "") -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    parts = {
        "[Content_Types].xml": b"<Types/>",
        "word/document.xml": f"{doctype}<w:document><w:body>{body}</w:body></w:document>".encode(),
        **(extra or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def pdf_bomb(unpacked_megabytes: int = 3_000) -> bytes:
    """A PDF of a few kilobytes whose page unpacks to gigabytes of text."""
    block = (b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj " * 21_000)[:1_000_000]
    packer = zlib.compressobj(9)
    start = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush a block stands on its own, so that it may be repeated as often as one likes.
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = start + again * unpacked_megabytes + packer.flush()
    return _page_with(zlib.compress(packed, 9), filters=b"[/FlateDecode /FlateDecode]")


def pdf_without_pages() -> bytes:
    return _assemble(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"],
    )


def endless_page() -> bytes:
    """A PDF of a few hundred kilobytes whose page takes far longer to draw than anyone would wait."""
    drawing = b"0 0 600 800 re f " * 20_000
    return _nested_forms([drawing, *[b"/F Do " * 40] * 5])


def _page_with(content: bytes, *, filters: bytes) -> bytes:
    return _assemble(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << >> >>",
            b"<< /Length %d /Filter %s >>\nstream\n%s\nendstream" % (len(content), filters, content),
        ]
    )


def _nested_forms(contents: list[bytes]) -> bytes:
    """Forms that draw each other many times over: the work grows with every level."""
    first = 5
    forms = []
    for depth, content in enumerate(contents):
        inner = b"/XObject << /F %d 0 R >>" % (first + depth - 1) if depth else b""
        forms.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << %s >> /Length %d >>\n"
            b"stream\n%s\nendstream" % (inner, len(content), content)
        )
    last = first + len(contents) - 1
    return _assemble(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /XObject << /F %d 0 R >> >> >>" % last,
            b"<< /Length 6 >>\nstream\n/F Do \nendstream",
            *forms,
        ]
    )


def _assemble(objects: list[bytes]) -> bytes:
    file = bytearray(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        file += b"%010d 00000 n \n" % place
    file += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(file)
