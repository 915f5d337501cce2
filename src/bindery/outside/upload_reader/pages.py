"""Reads the pages of a signed application: which they are, what was added, and whether it is signed."""

import ctypes
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from bindery.domain.documents.application_marks import (
    FIRST_PAGE,
    SIGNATURE_PAGE,
    ApplicationMark,
    marks_in,
    page_in_foot,
    page_marks_in,
    place_of,
)
from bindery.outside.upload_reader import signature_box
from bindery.outside.upload_reader.signature_box import Code, SignaturePlace

MOST_PAGE_PIXELS: Final = 4_000_000
DOTS_PER_POINT: Final = 2.5
HEAD, FOOT = 61.0, 64.0
"""Points at the top and the bottom of a page that platforms for signing print their own lines in."""
BLOCK_ABOVE, BLOCK_BELOW = 24.0, 20.0
"""Points around the fields of the signature: what is written there belongs to it."""
SIGNATURE_FIELDS: Final = frozenset({"signature", "date", "name", "title"})
"""The others are for something else: a state's notice is signed apart, and a producer adds a license."""
LETTER_HEIGHT: Final = 11 / 8.5
MOST_ANNOTATIONS: Final = 500
SAME_SIZE: Final = 1.0

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in points from the top left of a page."""


@dataclass(frozen=True)
class IssuedApplication:
    """The application as it was issued; without one, pages are not told apart.

    `texts` are the words of each page between head and foot, `block` is the signature's part of its page;
    `asides` are the parts of pages, by number, where there are fields that are no part of the signature.
    """

    mark: ApplicationMark | None = None
    texts: tuple[str, ...] = ()
    place: SignaturePlace | None = None
    block: Box = (0.0, 0.0, 0.0, 0.0)
    size: tuple[float, float] = (0.0, 0.0)
    asides: Mapping[int, Box] = field(default_factory=dict)

    def pages(self) -> "Pages":
        return Pages(self)

    @property
    def signature_page(self) -> int:
        return self.place.page if self.place is not None else 0

    def number_of(self, codes: list[Code]) -> int:
        if self.mark is None:
            return 0
        numbers = {
            page.number for page in page_marks_in(code.text for code in codes) if page.belongs_to(self.mark)
        }
        for code in codes:
            if self.mark in marks_in(code.text):
                place = place_of(code.text)
                numbers |= (
                    {1}
                    if place == FIRST_PAGE
                    else {self.signature_page}
                    if place == SIGNATURE_PAGE
                    else set()
                )
        return min(numbers, default=0)

    def number_in(self, text: str) -> int:
        """Return the number of a page by its own words: the quote's identifier, and the foot."""
        if self.mark is None or self.mark.quote_identifier not in re.sub(r"\s+", "", text):
            return 0
        return page_in_foot(text) or 0


@dataclass
class Page:
    """A page of an upload; its number in the application is 0 where it is not known."""

    number: int = 0
    pictured: bool = False
    body: str = ""
    block: str = ""
    aside: str = ""
    marked_up: bool = False


@dataclass
class Pages:
    """What the pages of an upload turn out to be, one after the other."""

    issued: IssuedApplication
    seen: list[Page] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    box: str = ""
    typed: list[str] = field(default_factory=list)
    _is_marked: bool = False
    _unnamed: list[tuple[Any, list[Code]]] = field(default_factory=list)

    def add_picture(self, gray: Any, *, until: float) -> None:  # noqa: ANN401 - a picture
        page = Page(pictured=True)
        self.seen.append(page)
        self._look(gray, page, until=until)

    def add_page(self, page: Any, text: str, *, is_picture: bool, until: float) -> None:  # noqa: ANN401 - as above
        found = Page(pictured=is_picture)
        self.seen.append(found)
        if not is_picture:
            found.number = self.issued.number_in(text)
        if not found.number:
            self._look(drawn(page)[0], found, until=until)
        elif not self.codes and not self._is_marked:
            self._is_marked = any(marks_in(re.sub(r"\s+", "", text)))
            if not self._is_marked:
                # Only the page to be signed has the mark in words; it may not be among these.
                self._look(drawn(page)[0], Page(), until=until)
        if is_picture and not found.number:
            found.number = self.issued.number_in(text)
        if found.number and not is_picture:
            self._read_written(page, found, until=until)

    def found(self, more: dict[str, Any]) -> dict[str, Any]:
        if not self.box and len(self._unnamed) > 1:
            # Applications used to have the same code on the first page and on the signed one, the last.
            picture, codes = self._unnamed[-1]
            self._see(picture, codes)
        reading = {**more, "codes": self.codes}
        if self.issued.mark is not None:
            reading |= {
                "pages": [asdict(page) for page in self.seen],
                "issued": self.issued.texts,
                "signature_page": self.issued.signature_page,
                "box": self.box,
                "typed": self.typed,
            }
        return reading

    def _look(self, gray: Any, page: Page, *, until: float) -> None:  # noqa: ANN401 - as above
        """Read the codes of a picture of a page, and look for the signature if it is the page for it.

        A poor picture is tried in several ways, until the codes tell where the signature is.
        """
        codes: list[Code] = []
        for picture, helped in _tries(gray):
            codes = [
                *codes,
                *(code for code in codes_in(helped) if code.text not in {known.text for known in codes}),
            ]
            page.number = self.issued.number_of(codes)
            is_signed_here = page.number == self.issued.signature_page != 0
            if is_signed_here:
                self._see(picture, codes)
            if len(codes) > 1 or (codes and not (is_signed_here and self.box == signature_box.UNCLEAR)):
                break
            if time.process_time() > until:
                break
        self.codes += [code.text for code in codes]
        if codes and not page.number and self.issued.mark is not None:
            self._unnamed = [*self._unnamed[:1], (gray, codes)]

    def _see(self, picture: Any, codes: list[Code]) -> None:  # noqa: ANN401 - as above
        place = self.issued.place
        if place is not None and self.box != signature_box.INK:
            self.box = signature_box.look(picture, place, {place_of(code.text): code for code in codes})

    def _read_written(self, page: Any, found: Page, *, until: float) -> None:  # noqa: ANN401 - as above
        """Read a page that is not a picture: its words, what lies over it, its fields and its signature."""
        issued = self.issued
        width, height = page.get_size()
        body = (0.0, HEAD, width, height - FOOT)
        found.body = _words_in(page, body)
        is_signed_here = found.number == issued.signature_page != 0
        if is_signed_here:
            found.block = _words_in(page, issued.block)
        aside = issued.asides.get(found.number)
        if aside is not None:
            found.aside = _words_in(page, aside)
        to_be_filled = [*([issued.block] if is_signed_here else []), *([aside] if aside else [])]
        for kind, words, place in _annotations(page):
            if not _overlap(place, body) or any(_overlap(place, part) for part in to_be_filled):
                continue
            found.marked_up |= kind in _MARKUP
            found.body += f"\n{words}" if kind in _WRITTEN else ""
        self.typed += [name for name, _, is_filled in _fields(page) if is_filled and name not in self.typed]
        if not is_signed_here or issued.place is None:
            return
        gray, scale = drawn(page)
        is_same_size = all(
            abs(ours - own) < SAME_SIZE for ours, own in zip(page.get_size(), issued.size, strict=True)
        )
        if is_same_size and self.box != signature_box.INK:
            self.box = signature_box.look_flat(gray, issued.place, scale)
        if self.box in {"", signature_box.UNCLEAR}:
            self._look(gray, Page(), until=until)
        if self._is_drawn_over(page):
            self.box = signature_box.INK

    def _is_drawn_over(self, page: Any) -> bool:  # noqa: ANN401 - as above
        """Whether an annotation lies at the signature, also one that only its own program shows."""
        return any(
            kind in _DRAWN and _overlap(place, self.issued.block) for kind, _, place in _annotations(page)
        )


def read_issued(document: Any) -> IssuedApplication:  # noqa: ANN401 - a document of a library without types
    texts = []
    mark = None
    place: SignaturePlace | None = None
    block = (0.0, 0.0, 0.0, 0.0)
    size = (0.0, 0.0)
    asides = {}
    for number in range(len(document)):
        page = document[number]
        width, height = page.get_size()
        texts.append(_words_in(page, (0.0, HEAD, width, height - FOOT)))
        mark = mark or next(marks_in(re.sub(r"\s+", "", texts[-1])), None)
        places = {name: box for name, box, _ in _fields(page)}
        if "signature" in places:
            gray, scale = drawn(page)
            codes = {place_of(code.text): code for code in codes_in(gray)}
            place = signature_box.place_on(number + 1, gray, places["signature"], codes, scale)
            block = _around((places[name] for name in SIGNATURE_FIELDS & places.keys()), width)
            size = (width, height)
        if others := places.keys() - SIGNATURE_FIELDS:
            asides[number + 1] = _around((places[name] for name in others), width)
        page.close()
    return IssuedApplication(mark, tuple(texts), place, block, size, asides)


def _around(fields: Iterable[Box], width: float) -> Box:
    tops, bottoms = zip(*((top, bottom) for _, top, _, bottom in fields), strict=True)
    return (0.0, min(tops) - BLOCK_ABOVE, width, max(bottoms) + BLOCK_BELOW)


def drawn(page: Any) -> tuple[Any, float]:  # noqa: ANN401 - as above
    width, height = page.get_size()
    scale = min(DOTS_PER_POINT, (MOST_PAGE_PIXELS / max(1.0, width * height)) ** 0.5)
    return page.render(scale=scale, grayscale=True).to_pil().convert("L"), scale


def codes_in(gray: Any) -> list[Code]:  # noqa: ANN401 - a picture
    import zxingcpp  # noqa: PLC0415 - imported under the limits

    kinds = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode])
    found = []
    for code in zxingcpp.read_barcodes(gray, formats=kinds, try_invert=False):
        at = code.position
        corners = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
        if code.text:
            found.append(Code(code.text, tuple((float(corner.x), float(corner.y)) for corner in corners)))
    return found


def is_sealed(document: Any) -> bool:  # noqa: ANN401 - as above
    """Whether the file has a digital signature, as a person or a platform for signing puts it."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    signatures = (
        raw.FPDF_GetSignatureObject(document, number)
        for number in range(raw.FPDF_GetSignatureCount(document))
    )
    return any(raw.FPDFSignatureObj_GetContents(signature, None, 0) > 0 for signature in signatures)


def _tries(gray: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - as above
    """Yield a picture as it is measured, and as codes are looked for in it."""
    from PIL import Image, ImageFilter  # noqa: PLC0415 - as above

    yield gray, gray
    if gray.width > gray.height:
        # A fax has half as many lines as columns.
        gray = gray.resize((gray.width, int(gray.width * LETTER_HEIGHT)), Image.Resampling.BICUBIC)
        yield gray, gray
    yield gray, gray.filter(ImageFilter.GaussianBlur(0.8))
    yield gray, gray.filter(ImageFilter.UnsharpMask(2, 200, 0))


def _words_in(page: Any, box: Box) -> str:  # noqa: ANN401 - as above
    height = page.get_height()
    words = page.get_textpage()
    text: str = words.get_text_bounded(left=box[0], bottom=height - box[3], right=box[2], top=height - box[1])
    words.close()
    return text


def _annotations(page: Any) -> Iterator[tuple[int, str, Box]]:  # noqa: ANN401 - as above
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    height = page.get_height()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MOST_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        at = raw.FS_RECTF()
        raw.FPDFAnnot_GetRect(annotation, ctypes.byref(at))
        box = (
            min(at.left, at.right),
            height - max(at.top, at.bottom),
            max(at.left, at.right),
            height - min(at.top, at.bottom),
        )
        words = _string(annotation, b"Contents") if kind in _WRITTEN else ""
        raw.FPDFPage_CloseAnnot(annotation)
        yield kind, words, box


def _fields(page: Any) -> Iterator[tuple[str, Box, bool]]:  # noqa: ANN401 - as above
    """Yield the fields on a page: name, place, and whether they are filled in."""
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    height = page.get_height()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MOST_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if raw.FPDFAnnot_GetSubtype(annotation) == _WIDGET:
            at = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(annotation, ctypes.byref(at))
            value = _string(annotation, b"V")
            is_filled = bool(value.strip()) or raw.FPDFAnnot_GetValueType(annotation, b"V") == _DICTIONARY
            yield (
                _string(annotation, b"T"),
                (at.left, height - at.top, at.right, height - at.bottom),
                is_filled,
            )
        raw.FPDFPage_CloseAnnot(annotation)


def _string(annotation: Any, key: bytes) -> str:  # noqa: ANN401 - as above
    from pypdfium2 import raw  # noqa: PLC0415 - as above

    length = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    letters = (ctypes.c_ushort * (length // 2 + 1))()
    raw.FPDFAnnot_GetStringValue(annotation, key, letters, length)
    return bytes(letters).decode("utf-16-le", "replace").rstrip("\0")


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# The numbers that PDFium has for kinds of annotation; its names can only be had under the limits.
_NOTE, _FREE_TEXT, _LINE, _POLYGON, _POLYLINE, _STRIKE_OUT, _STAMP, _CARET, _INK, _WIDGET = (
    1,
    3,
    4,
    7,
    8,
    12,
    13,
    14,
    15,
    20,
)
_WRITTEN: Final = frozenset({_NOTE, _FREE_TEXT, _CARET})
_MARKUP: Final = frozenset({_STRIKE_OUT})
_DRAWN: Final = frozenset({_FREE_TEXT, _LINE, _POLYGON, _POLYLINE, _STAMP, _INK})
_DICTIONARY: Final = 6
