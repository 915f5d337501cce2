"""PDF documents: frozen facts in, bytes out, the same bytes for the same facts."""

from collections.abc import Callable, Mapping
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import (
    application,
    billing_statement,
    binder,
    binder_tria,
    cancellation_notice,
    certificate,
    comparison,
    lapse_notice,
    policy,
    policy_specimen,
    quote_letter,
    recommendations,
    reinstatement_notice,
    security_letter,
    security_report,
)
from bindery.documents.fields import with_fields
from bindery.documents.layout import DocumentInput, MissingFacts
from bindery.documents.row_headers import with_row_headers
from bindery.documents.typesetting import typeset
from bindery.documents.wording import issuer
from bindery.domain.documents.facts import DocumentFacts

__all__ = ["SHARED_BY_SUBMISSION", "MissingFacts", "render"]

SHARED_BY_SUBMISSION: Final = frozenset(
    {DocumentType.SECURITY_REPORT, DocumentType.RECOMMENDATIONS, DocumentType.POLICY_SPECIMEN}
)
"""These are the same for all options of a submission: make them once."""

PAPER_OF: Final[Mapping[DocumentType, Callable[[DocumentFacts], DocumentInput]]] = {
    DocumentType.QUOTE_LETTER: quote_letter.paper,
    DocumentType.BINDER: binder.paper,
    DocumentType.POLICY: policy.paper,
    DocumentType.APPLICATION: application.paper,
    DocumentType.RECOMMENDATIONS: recommendations.paper,
    DocumentType.BINDER_TRIA: binder_tria.paper,
    DocumentType.BILLING_STATEMENT: billing_statement.paper,
    DocumentType.SECURITY_LETTER: security_letter.paper,
    DocumentType.SECURITY_REPORT: security_report.paper,
    DocumentType.POLICY_SPECIMEN: policy_specimen.paper,
    DocumentType.COMPARISON: comparison.paper,
    DocumentType.CERTIFICATE: certificate.paper,
    DocumentType.CANCELLATION_NOTICE: cancellation_notice.paper,
    DocumentType.LAPSE_NOTICE: lapse_notice.paper,
    DocumentType.REINSTATEMENT_NOTICE: reinstatement_notice.paper,
}
FILLED_IN: Final = frozenset({DocumentType.APPLICATION, DocumentType.BINDER_TRIA})
"""These are signed: their lines are fields."""
_SPECIMENS: Final[dict[tuple[InsuranceProduct, str, str], bytes]] = {}


def render(kind: DocumentType, facts: DocumentFacts) -> bytes:
    """Typeset a document; takes tens of milliseconds of CPU outside the GIL, so call it in a thread.

    Raises:
        MissingFacts: the facts lack what this document is about, such as the price of a quote letter.
    """
    if kind is not DocumentType.POLICY_SPECIMEN:
        return _typeset(kind, facts)
    # It holds nobody's data, and is the same for everybody with the same product and editions.
    same_for = (facts.product, facts.form_edition.edition, facts.coverage_edition.edition)
    if same_for not in _SPECIMENS:
        _SPECIMENS[same_for] = _typeset(kind, facts)
    return _SPECIMENS[same_for]


def _typeset(kind: DocumentType, facts: DocumentFacts) -> bytes:
    paper = PAPER_OF[kind](facts)
    names = dict(issuer(facts.form_edition.edition))
    pdf = with_row_headers(typeset(kind.value, paper.content, issuer=names, dated=paper.dated))
    return with_fields(pdf) if kind in FILLED_IN else pdf
