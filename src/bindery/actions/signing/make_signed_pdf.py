import re
from dataclasses import dataclass, replace
from typing import Final

from bindery.actions.documents.make_document import find_issue
from bindery.actions.documents.read_document import read_document
from bindery.actions.documents.seal_document import seal_document
from bindery.contract.documents import DocumentType
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.signing_record import SigningRecord
from bindery.domain.signing.client_link import ClientLink
from bindery.domain.signing.signing import AUTHORITY, Signature
from bindery.runtime import Runtime
from bindery.storage.documents.documents import StoredDocument

_PAGE: Final = re.compile(rb"/Type\s*/Page\b")


@dataclass(frozen=True, slots=True)
class SignedPdf:
    """A signed and sealed application; `pages` are those of the application as it was issued."""

    content: bytes
    pages: int
    certificate_sha256: str
    is_stamped: bool


async def make_signed_pdf(
    runtime: Runtime, link: ClientLink, signature: Signature, application: StoredDocument
) -> SignedPdf:
    """Typeset the application again from its facts, signed, with the page that certifies it; then seal it."""
    async with runtime.database.reading() as tx:
        issue = await find_issue(
            tx, runtime.rules, signature.quote_id, DocumentType.APPLICATION, application.version
        )
    facts = replace(issue.facts, signing=_signing(runtime.rules, link, signature))
    content = await runtime.presses.typeset(DocumentType.APPLICATION, facts)
    sealed = await seal_document(runtime, content)
    issued = await read_document(runtime, application)
    return SignedPdf(
        sealed.pdf, len(_PAGE.findall(issued)), sealed.certificate_sha256, is_stamped=sealed.is_stamped
    )


def _signing(rules: BusinessRules, link: ClientLink, signature: Signature) -> SigningRecord:
    return SigningRecord(
        request_id=str(link.link_id),
        name=signature.name,
        title=signature.title,
        email=signature.email,
        address=signature.address,
        agent=signature.agent,
        consent=signature.consent,
        stated=AUTHORITY,
        shown_sha256=signature.shown_sha256,
        sent_by=link.created_by,
        sent_at=link.created_at,
        opened_at=link.opened_at or link.created_at,
        confirmed_at=signature.signed_at,
        signed_at=signature.signed_at,
        signed_on=rules.day_of(signature.signed_at),
    )
