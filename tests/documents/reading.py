"""Reading a PDF back, the way a person, a search or a screen reader would."""

import io
import re
from functools import cache
from typing import Final

import pypdf
import pypdfium2

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from bindery.domain.document_facts import Binding, DocumentFacts
from documents.cases import BOUND, ISSUED, facts_of

WITH_A_BINDER: Final = frozenset(
    {
        DocumentType.BINDER,
        DocumentType.BINDER_TRIA,
        DocumentType.BILLING_STATEMENT,
        DocumentType.SECURITY_LETTER,
    }
)


def binding_for(kind: DocumentType, product: InsuranceProduct) -> Binding | None:
    if kind is DocumentType.POLICY:
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
    return facts_of(product, binding=binding_for(kind, product))


@cache
def plain_document(kind: DocumentType, product: InsuranceProduct) -> bytes:
    """The document of an ordinary case; made once for each kind and product."""
    return render(kind, plain_facts(kind, product))


def text_of(pdf: bytes) -> str:
    """The text of all pages on one line."""
    return re.sub(
        r"\s+", " ", "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)
    )


def squeezed(text: str) -> str:
    """The text without any blanks, for what may be broken over lines."""
    return re.sub(r"[\s\u200b]+", "", text)


def pages_of(pdf: bytes) -> int:
    return len(pypdf.PdfReader(io.BytesIO(pdf)).pages)


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
