"""Making a document from its frozen facts: read, typeset with no transaction open, store, write it down.

The same facts make the same bytes and files are named by their hash, so that any step may run twice, and in
any process: what was recorded first stays.
"""

import hashlib
import uuid
from collections.abc import Collection

from bindery.actions.documents.find_issue import find_issue, newest_version
from bindery.actions.quote.advance_quote import advance_quote
from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.events import DocumentReady
from bindery.documents import SHARED_BY_SUBMISSION
from bindery.domain.documents.access import FROZEN_WITH, documents_of
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.quote.lifecycle import BINDABLE, Trigger, may
from bindery.domain.quote.quote import Quote
from bindery.runtime import Runtime
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.documents import documents, packets
from bindery.storage.documents.documents import StoredDocument
from bindery.storage.documents.packets import FoundPacket
from bindery.storage.quote import quotes

ACTOR = "service"


async def find_document(database: Database, quote_id: uuid.UUID, kind: DocumentType) -> StoredDocument | None:
    """Find a document that was made, in its newest version."""
    async with database.reading() as tx:
        return await documents.of_version(tx, quote_id, kind, await newest_version(tx, quote_id, kind))


async def find_or_make_document(runtime: Runtime, quote: Quote, kind: DocumentType) -> StoredDocument:
    """Return a document, making it now where nobody has before; partners take turns at the presses.

    Raises:
        QueueFull: too many documents are being made.
    """
    found = await find_document(runtime.database, quote.quote_id, kind)
    if found is not None:
        return found
    turns = runtime.document_turns
    with turns.admitted(quote.partner_id):
        async with turns.turn(quote.partner_id):
            return await make_document(runtime, quote.quote_id, kind)


async def make_document(
    runtime: Runtime, quote_id: uuid.UUID, kind: DocumentType, version: int | None = None
) -> StoredDocument:
    """Make one document of a quote that may have it, unless it is there, and return it."""
    async with runtime.database.reading() as tx:
        version = version or await newest_version(tx, quote_id, kind)
        there = await documents.of_version(tx, quote_id, kind, version)
        if there is not None:
            return there
        issue = await find_issue(tx, runtime.rules, quote_id, kind, version)
        shared = await _find_shared(tx, quote_id, kind, issue.packet)
    if shared is not None:
        sha256, size = shared.sha256, shared.size
    else:
        blob = await runtime.blobs.put(await runtime.presses.typeset(kind, issue.facts))
        sha256, size = blob.sha256, blob.size
    async with runtime.database.transaction() as tx:
        made = StoredDocument(
            quote_id=quote_id,
            type=kind,
            version=version,
            sha256=sha256,
            size=size,
            fingerprint=issue.facts.fingerprint if kind is DocumentType.APPLICATION else None,
            made_at=tx.now,
        )
        if issue.packet is None or issue.packet.is_made:
            await documents.add(tx, made)
        else:
            await _keep(tx, made, issue.facts)
        kept = await documents.of_version(tx, quote_id, kind, version)
    assert kept is not None, "it was made just now"
    return kept


async def make_again(runtime: Runtime, document: StoredDocument) -> bool:
    """Put a lost file back if the same bytes come out of its facts; whether they did."""
    async with runtime.database.reading() as tx:
        issue = await find_issue(tx, runtime.rules, document.quote_id, document.type, document.version)
    content = await runtime.presses.typeset(document.type, issue.facts)
    if hashlib.sha256(content).hexdigest() != document.sha256:
        return False
    await runtime.blobs.put(content)
    return True


async def _find_shared(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, packet: FoundPacket | None
) -> StoredDocument | None:
    """Find what another option has that would come out the same."""
    if packet is None or kind not in SHARED_BY_SUBMISSION:
        return None
    return await documents.find_shared(tx, quote_id, kind, frozen_at=packet.frozen_at)


async def _keep(tx: Tx, made: StoredDocument, facts: DocumentFacts) -> None:
    """Write a document down; when that completes its packet, tell partners, once."""
    quote = await quotes.lock(tx, made.quote_id)
    await documents.add(tx, made)
    packet = FROZEN_WITH[made.type]
    wanted = documents_of(packet, has_report=facts.has_report)
    if not await _are_all_there(tx, made.quote_id, wanted):
        return
    # Nobody is told of the documents of an offer that is over, or was bound: those of the bind follow.
    if await packets.mark_made(tx, made.quote_id, packet) and may(quote.status, Trigger.MAKE_DOCUMENTS):
        if packet is PacketType.QUOTE and quote.status not in BINDABLE:
            return
        said = DocumentReady(documents=list(wanted))
        await advance_quote(tx, quote, Trigger.MAKE_DOCUMENTS, actor=ACTOR, said=said)


async def _are_all_there(tx: Reader, quote_id: uuid.UUID, wanted: Collection[DocumentType]) -> bool:
    there = {document.type for document in await documents.of_quotes(tx, [quote_id])}
    return there.issuperset(wanted)
