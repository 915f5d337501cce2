"""Reading a PDF: its text, and the codes on its pages."""

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, Final

from bindery.outside.upload_reader.pictures import codes_in

LOOK_FOR_CODES_S: Final = 3.0
MOST_PAGES: Final = 60
MOST_PICTURED_PAGES: Final = 20
MOST_OBJECTS: Final = 2_000
"""How many objects of a page are looked at; a scanned page has one."""
MOST_CHARACTERS: Final = 400_000
MOST_PIXELS: Final = 4_000_000
DOTS_PER_POINT: Final = 2.5
PAGE_PICTURE_SHARE: Final = 0.5


class EncryptedPdf(Exception):
    """The file does not open without a password."""


class NoPages(Exception):
    """The file opens and there is nothing in it."""


def read_pdf(file: BinaryIO) -> dict[str, Any]:
    """Return the text of a PDF and, where its pages are pictures, the codes on them.

    Raises:
        Encrypted: it does not open without a password.
        NoPages: not one page can be opened.
    """
    until = time.process_time() + LOOK_FOR_CODES_S
    text: list[str] = []
    codes: list[str] = []
    pictured = False
    room = MOST_CHARACTERS
    for number, page in enumerate(_pages_of(_open(file.read()))):
        text.append(_text_of(page, most=room))
        room -= len(text[-1])
        if number < MOST_PICTURED_PAGES and time.process_time() < until:
            pictured |= _is_pictured(page)
            codes = codes or _codes_on(page)
        page.close()
    if not text:
        raise NoPages
    return {"text": "\n".join(text), "codes": codes, "pictured": pictured}


def _open(content: bytes) -> Any:  # noqa: ANN401 - a document of a library without types
    import pypdfium2 as pdfium  # noqa: PLC0415 - under the limits
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError:
        if raw.FPDF_GetLastError() in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise EncryptedPdf from None
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
    """Whether a picture covers most of the page."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    width, height = page.get_size()
    for shown in islice(page.get_objects(max_depth=3), MOST_OBJECTS):
        if shown.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = shown.get_bounds()
            if (right - left) * (top - bottom) > PAGE_PICTURE_SHARE * width * height:
                return True
    return False


def _codes_on(page: Any) -> list[str]:  # noqa: ANN401 - as above
    """Draw a page and look for codes on it."""
    width, height = page.get_size()
    scale = min(DOTS_PER_POINT, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    return codes_in(page.render(scale=scale, grayscale=True).to_pil())
