"""Making a document from its frozen facts: read, typeset with no transaction open, store, write it down.

The same facts make the same bytes and files are named by their hash, so that any step may run twice, and in
any process: what was recorded first stays.
"""

import hashlib
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bindery.actions.documents.gather_facts import find_comparison, find_facts, gather_facts
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.event_details import DocumentReady
from bindery.documents import SHARED_BY_SUBMISSION
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.access import FROZEN_WITH, check_version, documents_of, may_be_asked_for
from bindery.domain.documents.editions import RENEWABLE
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import NOTICES
from bindery.domain.quote.lifecycle import BINDABLE, Trigger, may
from bindery.domain.quote.quote import Quote, Step, Walk
from bindery.runtime import Runtime
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.documents import documents, editions, packets
from bindery.storage.documents.documents import StoredDocument
from bindery.storage.documents.packets import FoundPacket
from bindery.storage.policy import notices
from bindery.storage.quote import quotes

FIRST = 1
"""The version of every document that is issued once."""
ACTOR = "service"


@dataclass(frozen=True, slots=True)
class Issue:
    """The facts of one version of a document; `packet` is None if none was frozen for it."""

    facts: DocumentFacts
    packet: FoundPacket | None = None


async def newest_version(tx: Reader, quote_id: uuid.UUID, kind: DocumentType) -> int:
    """Return the newest version of a document, made or not.

    A notice has a version for each time that it was written, a comparison for each moment at which options of
    its submission were offered or changed, and a document of an offer or a bind for each time that it would
    have said what no longer held.
    """
    if kind in NOTICES:
        return await notices.newest_version(tx, quote_id, kind)
    if kind is DocumentType.COMPARISON:
        return await packets.offered_moments(tx, quote_id)
    if kind is DocumentType.CERTIFICATE:
        return FIRST + await notices.newest_version(tx, quote_id, DocumentType.ENDORSEMENT)
    return await editions.newest_version(tx, quote_id, kind) if kind in RENEWABLE else FIRST


async def find_issue(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, kind: DocumentType, version: int
) -> Issue:
    """Find the facts of a version of a document; today's where none were frozen."""
    if kind in NOTICES:
        notice = await notices.find(tx, quote_id, kind, version)
        assert notice is not None, "a notice is asked for once it was written"
        return Issue(notice)
    if kind is DocumentType.COMPARISON:
        return Issue(await find_comparison(tx, rules, quote_id, version))
    if kind is DocumentType.CERTIFICATE and version > FIRST:
        # It says what is insured: after each change of the policy another.
        return Issue(await notices.find(tx, quote_id, DocumentType.ENDORSEMENT, version - FIRST))
    packet = await packets.find(tx, quote_id, FROZEN_WITH[kind], kind, version)
    if packet is not None:
        return Issue(packet.facts, packet)
    return Issue(await gather_facts(tx, rules, await quotes.get(tx, quote_id)))


async def find_document(database: Database, quote_id: uuid.UUID, kind: DocumentType) -> StoredDocument | None:
    async with database.reading() as tx:
        return await documents.of_version(tx, quote_id, kind, await newest_version(tx, quote_id, kind))


async def find_or_make_document(
    runtime: Runtime, quote: Quote, kind: DocumentType, version: int | None = None
) -> StoredDocument:
    """Return a document, making it now where nobody has before; partners take turns at the presses.

    Without a `version` it is the newest.

    Raises:
        NotFound: there is no such version.
        QueueFull: too many documents are being made.
    """
    async with runtime.database.reading() as tx:
        newest = await newest_version(tx, quote.quote_id, kind)
        version = version or newest
        check_version(kind, version, newest=newest)
        found = await documents.of_version(tx, quote.quote_id, kind, version)
    if found is not None:
        return found
    turns = runtime.document_turns
    with turns.admitted(quote.partner_id):
        async with turns.turn(quote.partner_id):
            return await make_document(runtime, quote.quote_id, kind, version)


async def make_document(
    runtime: Runtime, quote_id: uuid.UUID, kind: DocumentType, version: int | None = None
) -> StoredDocument:
    """Return a document of a quote that may have it, making it unless it is there."""
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
    """Put a lost file back if the same bytes come out of its facts; return whether they did."""
    async with runtime.database.reading() as tx:
        issue = await find_issue(tx, runtime.rules, document.quote_id, document.type, document.version)
    return await put_back(runtime, document.type, issue.facts, sha256=document.sha256)


async def put_back(runtime: Runtime, kind: DocumentType, facts: DocumentFacts, *, sha256: str) -> bool:
    content = await runtime.presses.typeset(kind, facts)
    if hashlib.sha256(content).hexdigest() != sha256:
        return False
    await runtime.blobs.put(content)
    return True


async def _find_shared(
    tx: Reader, quote_id: uuid.UUID, kind: DocumentType, packet: FoundPacket | None
) -> StoredDocument | None:
    if packet is None or kind not in SHARED_BY_SUBMISSION:
        return None
    return await documents.find_shared(tx, quote_id, kind, frozen_at=packet.frozen_at)


async def _keep(tx: Tx, made: StoredDocument, facts: DocumentFacts) -> None:
    """Record a document; when that completes its packet, notify the partner, once."""
    quote = await quotes.lock(tx, made.quote_id)
    await documents.add(tx, made)
    packet = FROZEN_WITH[made.type]
    wanted = documents_of(packet, has_report=facts.has_report)
    renewed = await editions.newest_versions(tx, made.quote_id)
    versions = {kind: renewed.get(kind, FIRST) for kind in wanted}
    there = {document.type: document.version for document in await documents.of_quotes(tx, [made.quote_id])}
    if any(there.get(kind) != version for kind, version in versions.items()):
        return
    complete = await packets.mark_made(tx, made.quote_id, packet)
    # No notice of the documents of an offer that is over or was bound: the bind's documents follow.
    is_over = packet is PacketType.QUOTE and quote.status not in BINDABLE
    if complete is None or is_over or not may(quote.status, Trigger.MAKE_DOCUMENTS):
        return
    news = wanted if complete.renewed is None else [kind for kind in wanted if kind in complete.renewed]
    said = [
        DocumentReady(documents=[kind for kind in news if versions[kind] == version], version=version)
        for version in sorted({versions[kind] for kind in news})
    ]
    steps = tuple(Step(Trigger.MAKE_DOCUMENTS, ACTOR, each) for each in said)
    await advance_quotes(tx, [Walk(quote, steps)])


async def make_packet(runtime: Runtime, quote_id: uuid.UUID, packet: PacketType) -> None:
    """Make all documents of a packet that are not there yet; the last one notifies the partner."""
    async with runtime.database.reading() as tx:
        facts = await find_facts(tx, runtime.rules, quote_id, packet)
    for kind in documents_of(packet, has_report=facts.has_report):
        await make_document(runtime, quote_id, kind)


async def make_unmade(
    runtime: Runtime, quote_id: uuid.UUID, packet: PacketType, *, go_on: Callable[[], Awaitable[bool]]
) -> bool:
    """Make the documents of a packet ahead, as long as `go_on` says so; return whether all were made.

    Documents that can no longer be asked for are never made.
    """
    async with runtime.database.reading() as tx:
        quote = await quotes.get(tx, quote_id)
        facts = await find_facts(tx, runtime.rules, quote_id, packet)
    if not may_be_asked_for(packet, quote.status):
        async with runtime.database.transaction() as tx:
            await packets.mark_made(tx, quote_id, packet)
        return True
    for kind in documents_of(packet, has_report=facts.has_report):
        if not await go_on():
            async with runtime.database.transaction() as tx:
                await packets.give_back(tx, quote_id, packet)
            return False
        await make_document(runtime, quote_id, kind)
    return True
