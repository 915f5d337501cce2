"""PDF documents: frozen facts in, bytes out, the same bytes for the same facts."""

from collections.abc import Callable, Mapping
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import (
    application,
    bound_documents,
    comparison,
    endorsement,
    notices,
    policy,
    quote_letter,
    security_letter,
    security_report,
)
from bindery.documents.attached_data import attached_data
from bindery.documents.fields import with_fields
from bindery.documents.insurers import issuer_names
from bindery.documents.layout import DocumentInput, MissingFacts
from bindery.documents.structure import with_clean_structure
from bindery.documents.typesetting import typeset
from bindery.domain.documents.facts import DocumentFacts

__all__ = ["SHARED_BY_SUBMISSION", "MissingFacts", "render"]

SHARED_BY_SUBMISSION: Final = frozenset(
    {DocumentType.SECURITY_REPORT, DocumentType.RECOMMENDATIONS, DocumentType.POLICY_SPECIMEN}
)
"""These are the same for all options of a submission: make them once."""

INPUT_OF: Final[Mapping[DocumentType, Callable[[DocumentFacts], DocumentInput]]] = {
    DocumentType.QUOTE_LETTER: quote_letter.quote_letter_input,
    DocumentType.BINDER: bound_documents.binder_input,
    DocumentType.POLICY: policy.policy_input,
    DocumentType.APPLICATION: application.application_input,
    DocumentType.RECOMMENDATIONS: security_report.recommendations_input,
    DocumentType.BINDER_TRIA: bound_documents.binder_tria_input,
    DocumentType.BILLING_STATEMENT: bound_documents.billing_statement_input,
    DocumentType.SECURITY_LETTER: security_letter.security_letter_input,
    DocumentType.SECURITY_REPORT: security_report.security_report_input,
    DocumentType.POLICY_SPECIMEN: policy.policy_specimen_input,
    DocumentType.COMPARISON: comparison.comparison_input,
    DocumentType.CERTIFICATE: bound_documents.certificate_input,
    DocumentType.CANCELLATION_NOTICE: notices.cancellation_notice_input,
    DocumentType.LAPSE_NOTICE: notices.lapse_notice_input,
    DocumentType.REINSTATEMENT_NOTICE: notices.reinstatement_notice_input,
    DocumentType.NONRENEWAL_NOTICE: notices.nonrenewal_notice_input,
    DocumentType.ENDORSEMENT: endorsement.endorsement_input,
}
FILLED_IN: Final = frozenset(
    {
        DocumentType.APPLICATION,
        DocumentType.BINDER,
        DocumentType.BINDER_TRIA,
        DocumentType.CERTIFICATE,
        DocumentType.REINSTATEMENT_NOTICE,
    }
)
"""These are signed or addressed by others: their lines are fields."""
WITH_DATA: Final = frozenset(
    {DocumentType.QUOTE_LETTER, DocumentType.COMPARISON, DocumentType.BINDER, DocumentType.POLICY}
)
"""These carry their quote as data too, for a program that files or compares them."""
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
    document = INPUT_OF[kind](facts)
    names = issuer_names(facts)
    attached = attached_data(facts) if kind in WITH_DATA else None
    typeset_pdf = typeset(kind.value, document.content, issuer=names, dated=document.dated, attached=attached)
    pdf = with_clean_structure(typeset_pdf)
    return with_fields(pdf) if kind in FILLED_IN else pdf
