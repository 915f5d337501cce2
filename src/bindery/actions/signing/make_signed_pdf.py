import re
from dataclasses import dataclass
from typing import Final

from bindery.actions.documents.read_document import read_document
from bindery.documents.fields import filled_in
from bindery.domain.business_rules import long_date
from bindery.domain.signing.client_link import ClientLink
from bindery.domain.signing.signing import Signature
from bindery.runtime import Runtime
from bindery.storage.documents.documents import StoredDocument

_PAGE: Final = re.compile(rb"/Type\s*/Page\b")


@dataclass(frozen=True, slots=True)
class SignedPdf:
    """A signed application; `pages` are those of the application as it was issued."""

    content: bytes
    pages: int


async def make_signed_pdf(
    runtime: Runtime, _link: ClientLink, signature: Signature, application: StoredDocument
) -> SignedPdf:
    """Fill in the fields of the application with what the signer typed."""
    issued = await read_document(runtime, application)
    day = long_date(runtime.rules.day_of(signature.signed_at))
    values = {"signature": signature.name, "name": signature.name, "title": signature.title, "date": day}
    return SignedPdf(filled_in(issued, values), len(_PAGE.findall(issued)))
