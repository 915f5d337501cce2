"""Reads the formats that can be uploaded: text of PDFs and Word documents, and codes on pictures."""

import io
import re
import time
import zipfile
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, Final
from xml.parsers import expat

from bindery.outside.upload_reader.pages import IssuedApplication, codes_in, is_sealed, read_issued

MOST_PICTURE_PIXELS: Final = 80_000_000
PIXELS_LOOKED_AT: Final = 4_000_000
"""A page at 200 dots an inch. Looking for codes takes far longer than twice as long on twice the pixels."""
MOST_FRAMES: Final = 20
LOOK_FOR_CODES_S: Final = 3.0
MOST_PAGES: Final = 60
MOST_PICTURED_PAGES: Final = 20
MOST_OBJECTS: Final = 2_000
"""Objects of a page that are checked; a scanned page has one."""
MOST_CHARACTERS: Final = 400_000
PAGE_PICTURE_SHARE: Final = 0.5
DOCUMENT: Final = "word/document.xml"
MOST_XML_BYTES: Final = 16_000_000
"""Of all parts together, unpacked; a long contract has one or two million."""
MOST_PICTURES: Final = 20
MOST_PICTURE_BYTES: Final = 25_000_000
PICTURE_KINDS: Final = ("PNG", "JPEG", "TIFF", "GIF", "BMP")
ENCRYPTED_PART: Final = 0x1
_EDGE = re.compile(r"word/(?:header|footer)[0-9]*\.xml")
_LINE_ENDS: Final = frozenset({"w:p", "w:br", "w:tab"})


class FileRefused(Exception):
    """A file that is not read any further, with the reason as the uploader sees it."""


def read_picture(file: BinaryIO, issued: BinaryIO | None = None, *, kind: str) -> dict[str, Any]:
    until = time.process_time() + LOOK_FOR_CODES_S
    application = _issued(issued)
    picture = open_picture(file, kind)
    pages = application.pages()
    for number in range(MOST_FRAMES):
        if number and (time.process_time() > until or not _turn_to(picture, number)):
            break
        pages.add_picture(_gray(picture), until=until)
    return pages.found({"pictured": True})


def open_picture(file: BinaryIO, *kinds: str) -> Any:  # noqa: ANN401 - a picture of a library that is not here yet
    from PIL import Image  # noqa: PLC0415 - imported under the limits

    Image.MAX_IMAGE_PIXELS = MOST_PICTURE_PIXELS // 2  # twice that is refused by the library
    try:
        # Only these kinds: the library knows many more, and one of them starts another program.
        return Image.open(file, formats=kinds)
    except Image.DecompressionBombError:
        raise FileRefused("it has too many pixels") from None


def _turn_to(picture: Any, number: int) -> bool:  # noqa: ANN401 - as above
    try:
        picture.seek(number)
    except Exception:  # noqa: BLE001 - whatever follows the pages that are there
        return False
    return True


def _gray(picture: Any) -> Any:  # noqa: ANN401 - as above
    gray = picture.convert("L")
    shrunk_by = (PIXELS_LOOKED_AT / (gray.width * gray.height)) ** 0.5
    if shrunk_by < 1:
        gray.thumbnail((int(gray.width * shrunk_by) + 1, int(gray.height * shrunk_by) + 1))
    return gray


def read_pdf(file: BinaryIO, issued: BinaryIO | None = None) -> dict[str, Any]:
    until = time.process_time() + LOOK_FOR_CODES_S
    application = _issued(issued)
    document = _open(file.read())
    pages = application.pages()
    text: list[str] = []
    pictured = False
    room = MOST_CHARACTERS
    for number, page in enumerate(_pages_of(document)):
        text.append(_text_of(page, most=room))
        room -= len(text[-1])
        if number < MOST_PICTURED_PAGES and time.process_time() < until:
            is_picture = _is_pictured(page)
            pictured |= is_picture
            pages.add_page(page, text[-1], is_picture=is_picture, until=until)
        page.close()
    if not text:
        raise ValueError("not one page can be opened")
    return pages.found({"text": "\n".join(text), "pictured": pictured, "sealed": is_sealed(document)})


def _issued(file: BinaryIO | None) -> IssuedApplication:
    if file is None:
        return IssuedApplication()
    try:
        return read_issued(_open(file.read()))
    except Exception:  # noqa: BLE001 - our own document says nothing about the file that came in
        return IssuedApplication()


def _open(content: bytes) -> Any:  # noqa: ANN401 - a document of a library without types
    import pypdfium2 as pdfium  # noqa: PLC0415 - under the limits
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError:
        if raw.FPDF_GetLastError() in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise FileRefused("it is encrypted") from None
        raise


def _pages_of(document: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    import pypdfium2 as pdfium  # noqa: PLC0415 - as above

    for number in range(min(len(document), MOST_PAGES)):
        try:
            yield document[number]
        except pdfium.PdfiumError:
            continue


def _text_of(page: Any, *, most: int) -> str:  # noqa: ANN401 - as above
    words = page.get_textpage()
    text: str = words.get_text_range(count=min(words.count_chars(), most))
    words.close()
    return text


def _is_pictured(page: Any) -> bool:  # noqa: ANN401 - as above
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    width, height = page.get_size()
    for shown in islice(page.get_objects(max_depth=3), MOST_OBJECTS):
        if shown.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = shown.get_bounds()
            if (right - left) * (top - bottom) > PAGE_PICTURE_SHARE * width * height:
                return True
    return False


def read_word_document(file: BinaryIO, _: BinaryIO | None = None) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        edges = (part for part in archive.infolist() if _EDGE.fullmatch(part.filename))
        left = MOST_XML_BYTES
        texts = []
        for part in (archive.getinfo(DOCUMENT), *edges):
            xml = _unpacked(archive, part, most=left + 1)
            left -= len(xml)
            if left < 0:
                raise FileRefused("it holds more text than we read")
            texts.append(_words_of(xml))
        return {"text": "\n".join(texts)[:MOST_CHARACTERS], "codes": _codes_in(archive)}


def _unpacked(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, most: int) -> bytes:
    """Unpack a part up to a limit, whatever size the archive claims."""
    if part.flag_bits & ENCRYPTED_PART:
        raise FileRefused("it is encrypted")
    # Other ways of packing unpack in leaps that no limit holds back.
    if part.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError("packed as no Word document is")
    with archive.open(part) as packed:
        return packed.read(most)


def _words_of(xml: bytes) -> str:
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = found.append
    parser.EndElementHandler = lambda name: found.append("\n") if name in _LINE_ENDS else None
    parser.StartDoctypeDeclHandler = _refuse
    # In one piece: a parser fed in parts begins again at the start of each incomplete token.
    parser.Parse(xml, True)  # noqa: FBT003 - says that this is all of it
    return "".join(found)


def _refuse(*_: object) -> None:
    """Refuse declarations: Word documents have none, and small ones can expand to much text."""
    raise ValueError("a document type declaration")


def _codes_in(archive: zipfile.ZipFile) -> list[str]:
    until = time.process_time() + LOOK_FOR_CODES_S
    codes: list[str] = []
    pictures = [part for part in archive.infolist() if part.filename.startswith("word/media/")]
    for part in pictures[:MOST_PICTURES]:
        if codes or time.process_time() > until:
            break
        try:
            content = _unpacked(archive, part, most=MOST_PICTURE_BYTES)
            codes += [
                code.text for code in codes_in(_gray(open_picture(io.BytesIO(content), *PICTURE_KINDS)))
            ]
        except Exception:  # noqa: BLE001, S112 - a document with a picture that does not open is no broken document
            continue
    return codes
