"""Reading a PDF back, the way a person, a search or a screen reader would."""

import io
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import pypdf
import pypdfium2

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.facts import Binding, DocumentFacts
from documents.cases import BOUND, ISSUED, facts_of
from documents.later_cases import compared, completed

HEAD: Final = 56
TOP: Final = 792 - HEAD
BOTTOM: Final = 60
"""Between these heights of a page stands what is not head or foot, in points."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top in points."""

WITH_A_BINDER: Final = (
    DocumentType.BINDER,
    DocumentType.BINDER_TRIA,
    DocumentType.BILLING_STATEMENT,
    DocumentType.SECURITY_LETTER,
    DocumentType.LAPSE_NOTICE,
)
WITH_A_POLICY: Final = (
    DocumentType.POLICY,
    DocumentType.CERTIFICATE,
    DocumentType.CANCELLATION_NOTICE,
    DocumentType.REINSTATEMENT_NOTICE,
    DocumentType.NONRENEWAL_NOTICE,
    DocumentType.ENDORSEMENT,
)


def binding_for(kind: DocumentType, product: InsuranceProduct) -> Binding | None:
    if kind in WITH_A_POLICY:
        return numbered(ISSUED, product)
    return numbered(BOUND, product) if kind in WITH_A_BINDER else None


def numbered(binding: Binding, product: InsuranceProduct) -> Binding:
    return Binding(
        policy_number=f"{product}-26-0001234-7-00",
        bound_on=binding.bound_on,
        fulfil_by=binding.fulfil_by,
        issued_on=binding.issued_on,
    )


@cache
def plain_facts(kind: DocumentType, product: InsuranceProduct) -> DocumentFacts:
    if kind is DocumentType.COMPARISON:
        return compared(product)
    return completed(kind, facts_of(product, binding=binding_for(kind, product)))


@cache
def plain_document(kind: DocumentType, product: InsuranceProduct) -> bytes:
    """The document of an ordinary case; made once for each kind and product."""
    return render(kind, plain_facts(kind, product))


@cache
def text_of(pdf: bytes) -> str:
    """The text of all pages on one line."""
    pages = pypdfium2.PdfDocument(pdf)
    found = "\n".join(page.get_textpage().get_text_range() for page in pages)
    return re.sub(r"\s+", " ", found.replace("\u200b", ""))


@cache
def text_by_pypdf(pdf: bytes) -> str:
    """The same as another, slower reader sees it."""
    pages = pypdf.PdfReader(io.BytesIO(pdf)).pages
    return re.sub(r"\s+", " ", "\n".join(page.extract_text() for page in pages))


@cache
def body_of(pdf: bytes) -> str:
    """The text of all pages without head, foot and blanks; what runs on over a page stays in one piece."""
    pages = pypdfium2.PdfDocument(pdf)
    found = (page.get_textpage().get_text_bounded(0, BOTTOM, 612, TOP) for page in pages)
    return squeezed("".join(found))


def squeezed(text: str) -> str:
    """The text without any blanks, for what may be broken over lines."""
    return re.sub(r"[\s\u200b]+", "", text)


def pages_of(pdf: bytes) -> int:
    return len(pypdf.PdfReader(io.BytesIO(pdf)).pages)


def overlapping_texts(pdf: bytes) -> list[tuple[str, str]]:
    """Pairs of texts of which the smaller lies by more than a quarter under the other."""
    found: list[tuple[str, str]] = []
    for page in pypdfium2.PdfDocument(pdf):
        text = page.get_textpage()
        boxes = sorted((text.get_rect(place) for place in range(text.count_rects())), key=lambda box: box[1])
        for box, other in _at_one_height(boxes):
            width = min(box[2], other[2]) - max(box[0], other[0])
            height = min(box[3], other[3]) - max(box[1], other[1])
            if width > 0 and height > 0 and width * height > min(_area(box), _area(other)) / 4:
                found.append((text.get_text_bounded(*box), text.get_text_bounded(*other)))
    return found


def _at_one_height(boxes: Sequence[Box]) -> Iterator[tuple[Box, Box]]:
    """Pair boxes, which stand from the bottom up, with those that begin below their top."""
    for place, box in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if other[1] >= box[3]:
                break
            yield box, other


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def texts_outside(pdf: bytes, margin: float) -> list[str]:
    """The texts that come nearer to an edge of their page than the margin, in points."""
    found: list[str] = []
    for page in pypdfium2.PdfDocument(pdf):
        width, height = page.get_size()
        text = page.get_textpage()
        for place in range(text.count_rects()):
            left, bottom, right, top = text.get_rect(place)
            if left < margin or bottom < margin or right > width - margin or top > height - margin:
                found.append(text.get_text_bounded(left, bottom, right, top))
    return found


def first_page_of(pdf: bytes) -> str:
    """The text of the first page on one line."""
    page = pypdfium2.PdfDocument(pdf)[0]
    return re.sub(r"\s+", " ", page.get_textpage().get_text_range())
