"""Making a quote's documents: read, typeset without a transaction open, keep the files, then write it down.

The same facts make the same bytes and files are named by their hash, so that any step may run twice: what was
recorded first stays.
"""

import asyncio
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.base.errors import NotFound
from bindery.contract.documents import DocumentType, PacketDocument, PacketType
from bindery.documents import SHARED_BY_SUBMISSION, render
from bindery.domain.document_access import OF_THE_BINDER, OF_THE_POLICY, PACKET_OF
from bindery.domain.document_building import document_facts
from bindery.domain.document_facts import Binding, DocumentFacts
from bindery.domain.lifecycle import Trigger, may
from bindery.domain.policy import Policy
from bindery.domain.quote import Quote
from bindery.outside.blobs import Blob
from bindery.runtime import Runtime
from bindery.storage import contingencies, documents, policies, quotes, submissions
from bindery.storage.database import Tx
from bindery.storage.documents import StoredDocument
from bindery.storage.submissions import StoredSubmission

ACTOR = "service"


class _Body(msgspec.Struct):
    client: dict[str, Any]


_read_body = msgspec.json.Decoder(_Body).decode


@dataclass(frozen=True, slots=True)
class MadeDocuments:
    """Documents of one quote whose files are stored, not yet written down."""

    quote_id: uuid.UUID
    fingerprint: str
    files: Mapping[DocumentType, Blob]
    packets: Mapping[PacketType, Sequence[PacketDocument]]


async def render_for_quote(runtime: Runtime, quote_id: uuid.UUID, kinds: Collection[DocumentType]) -> None:
    """Make those of the documents that the quote does not have yet, and tell partners once they are there.

    Raises:
        NotFound: there is no such quote.
    """
    async with runtime.database.reading() as tx:
        facts = await read_facts(runtime, tx, quote_id)
        there = {document.type for document in await documents.of_quotes(tx, [quote_id])}
    missing = [kind for kind in kinds if kind not in there and _exists(kind, facts)]
    if not missing:
        return
    (made,) = await make_documents(runtime, {quote_id: facts}, missing)
    async with runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, quote_id)
        assert quote is not None, "a quote is never deleted"
        if await keep_documents(tx, made):
            await tell_documents(tx, quote, made.files)


async def require_document(runtime: Runtime, quote_id: uuid.UUID, kind: DocumentType) -> StoredDocument:
    """Give a document, making it first where nobody has asked for it before."""
    async with runtime.database.reading() as tx:
        found = await documents.newest(tx, quote_id, kind)
    if found is not None:
        return found
    # The papers of a bind are made together, so that their event is told once whoever comes first.
    together = next((packet for packet in (OF_THE_BINDER, OF_THE_POLICY) if kind in packet), (kind,))
    await render_for_quote(runtime, quote_id, together)
    async with runtime.database.reading() as tx:
        found = await documents.newest(tx, quote_id, kind)
    assert found is not None, "it was just made"
    return found


async def make_documents(
    runtime: Runtime, facts: Mapping[uuid.UUID, DocumentFacts], kinds: Collection[DocumentType]
) -> list[MadeDocuments]:
    """Typeset documents for the options of one submission, what they share once, and store their files."""
    shared = {kind: _make(runtime, kind, one) for kind in kinds for one in list(facts.values())[:1]}
    own = [kind for kind in kinds if kind not in SHARED_BY_SUBMISSION]
    common = [kind for kind in kinds if kind in SHARED_BY_SUBMISSION]
    del shared
    first = next(iter(facts.values()))
    tasks = [_make(runtime, kind, first) for kind in common if _exists(kind, first)]
    tasks += [_make(runtime, kind, one) for one in facts.values() for kind in own if _exists(kind, one)]
    raise NotImplementedError
