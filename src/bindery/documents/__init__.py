"""PDF documents: frozen facts in, bytes out, the same bytes for the same facts."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import (
    application,
    billing_statement,
    binder,
    binder_tria,
    policy,
    policy_specimen,
    quote_letter,
    recommendations,
    security_letter,
    security_report,
)
from bindery.documents.layout import MissingFacts, Paper, issuer_content
from bindery.documents.typesetting import typeset
from bindery.domain.document_facts import DocumentFacts

__all__ = ["SHARED_BY_SUBMISSION", "MissingFacts", "render"]

SHARED_BY_SUBMISSION: Final = frozenset(
    {DocumentType.SECURITY_REPORT, DocumentType.RECOMMENDATIONS, DocumentType.POLICY_SPECIMEN}
)
"""These are the same for all options of a submission: make them once."""

PAPER_OF: Final[Mapping[DocumentType, Callable[[DocumentFacts], Paper]]] = {
    DocumentType.QUOTE_LETTER: quote_letter.paper,
    DocumentType.BINDER: binder.paper,
    DocumentType.POLICY: policy.paper,
    DocumentType.APPLICATION: application.paper,
    DocumentType.RECOMMENDATIONS: recommendations.paper,
    DocumentType.BINDER_TRIA: binder_tria.paper,
    DocumentType.BILLING_STATEMENT: billing_statement.paper,
    DocumentType.SECURITY_LETTER: security_letter.paper,
    DocumentType.SECURITY_REPORT: security_report.paper,
}


def render(kind: DocumentType, facts: DocumentFacts) -> bytes:
    """Typeset a document; takes tens of milliseconds of CPU outside the GIL, so call it in a thread.

    Raises:
        MissingFacts: the facts lack what this document is about, such as the price of a quote letter.
    """
    if kind is DocumentType.POLICY_SPECIMEN:
        return _specimen(facts.product)
    return _typeset(kind, PAPER_OF[kind](facts))


@lru_cache(maxsize=len(InsuranceProduct))
def _specimen(product: InsuranceProduct) -> bytes:
    """Typeset a product's specimen once: it holds nobody's data."""
    return _typeset(DocumentType.POLICY_SPECIMEN, policy_specimen.paper(product))


def _typeset(kind: DocumentType, paper: Paper) -> bytes:
    return typeset(kind.value, paper.content, issuer=issuer_content(), dated=paper.dated)
