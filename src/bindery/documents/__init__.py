"""PDF documents: frozen facts in, bytes out, the same bytes for the same facts."""

from collections.abc import Callable, Mapping
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.documents import quote_letter
from bindery.documents.layout import Content, MissingFacts, issuer_content
from bindery.documents.typesetting import typeset
from bindery.domain.document_facts import DocumentFacts

__all__ = ["SHARED_BY_SUBMISSION", "MissingFacts", "render"]

SHARED_BY_SUBMISSION: Final = frozenset(
    {DocumentType.SECURITY_REPORT, DocumentType.RECOMMENDATIONS, DocumentType.POLICY_SPECIMEN}
)
"""These are the same for all options of a submission: make them once."""

CONTENT_OF: Final[Mapping[DocumentType, Callable[[DocumentFacts], Content]]] = {
    DocumentType.QUOTE_LETTER: quote_letter.content,
}


def render(kind: DocumentType, facts: DocumentFacts) -> bytes:
    """Typeset a document; takes tens of milliseconds of CPU outside the GIL, so call it in a thread.

    Raises:
        MissingFacts: the facts lack what this document is about, such as the price of a quote letter.
    """
    content = {**CONTENT_OF[kind](facts), "issuer": issuer_content()}
    return typeset(kind.value, content, dated=facts.issued_on)
