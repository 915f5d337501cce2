"""Making a quote's documents: read, typeset with no transaction open, store the files, then write it down.

The same facts make the same bytes and files are named by their hash, so that any step may run twice: what was
recorded first stays.
"""

import asyncio
import hashlib
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from bindery.actions.advance_quote import advance_quote
from bindery.contract.documents import DocumentType, PacketDocument, PacketType
from bindery.documents import SHARED_BY_SUBMISSION
from bindery.domain.document_access import PACKET_OF
from bindery.domain.document_building import document_facts
from bindery.domain.document_facts import Binding, DocumentFacts
from bindery.domain.lifecycle import Trigger, may
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDocuments:
    """Documents of one quote whose files are stored, not yet written down."""

    quote_id: uuid.UUID
    fingerprint: str
    files: Mapping[DocumentType, Blob]
    packets: Mapping[PacketType, Sequence[PacketDocument]]


async def render_for_quote(runtime: Runtime, quote_id: uuid.UUID, kinds: Collection[DocumentType]) -> None:
    """Make those of the documents that the quote does not have yet, and tell partners when they are there."""
    async with runtime.database.reading() as tx:
        there = {document.type for document in await documents.of_quotes(tx, [quote_id])}
        missing = [kind for kind in kinds if kind not in there]
        if not missing:
            return
        quote = await quotes.get(tx, quote_id)
        stored = await submissions.find(tx, quote.submission_id)
        assert stored is not None, "a quote has a submission"
        facts = await read_facts(runtime, tx, quote, stored)
    made = await make_documents(runtime, {quote_id: facts}, missing)
    async with runtime.database.transaction() as tx:
        locked = await quotes.lock(tx, quote_id)
        assert locked is not None, "a quote is never deleted"
        await keep_documents(tx, locked, made[quote_id])


async def make_again(runtime: Runtime, document: StoredDocument) -> bool:
    """Put a lost file back if the same bytes come out of the facts of today; whether they did."""
    async with runtime.database.reading() as tx:
        quote = await quotes.get(tx, document.quote_id)
        stored = await submissions.find(tx, quote.submission_id)
        assert stored is not None, "a quote has a submission"
        facts = await read_facts(runtime, tx, quote, stored, issued_on=runtime.business_day(document.made_at))
    content = await runtime.presses.typeset(document.type, facts)
    if hashlib.sha256(content).hexdigest() != document.sha256:
        return False
    await runtime.blobs.put(content)
    return True


async def read_facts(
    runtime: Runtime,
    tx: Tx,
    quote: Quote,
    stored: StoredSubmission,
    *,
    valid_until: date | None = None,
    issued_on: date | None = None,
) -> DocumentFacts:
    """Read what the documents of a quote show, issued today unless `issued_on` says otherwise.

    `valid_until` is the last day of a quote yet to be published.
    """
    policy = await policies.find(tx, quote.quote_id)
    contacts = await policies.contacts_of(tx, quote.quote_id) if policy else None
    client = _read_body(stored.body).client
    binding = None
    if policy is not None and policy.policy_number is not None and policy.bound_on is not None:
        expiring = await policies.find(tx, stored.renews) if stored.renews else None
        binding = Binding(
            policy_number=policy.policy_number,
            bound_on=policy.bound_on,
            fulfil_by=policy.fulfil_by,
            issued_on=policy.issued_on,
            renewal_of=expiring.policy_number if expiring else None,
        )
    return document_facts(
        quote=quote,
        submission=stored.submission,
        client={**client, **msgspec.json.decode(contacts)} if contacts else client,
        contingencies=await contingencies.of_quote(tx, quote.quote_id),
        scan=stored.scan,
        submitted_on=runtime.business_day(stored.created_at),
        issued_on=issued_on or runtime.business_day(tx.now),
        valid_until=valid_until,
        term=policy.term if policy and binding else None,
        binding=binding,
    )


async def make_documents(
    runtime: Runtime, facts: Mapping[uuid.UUID, DocumentFacts], kinds: Collection[DocumentType]
) -> dict[uuid.UUID, MadeDocuments]:
    """Typeset documents for options of one submission, what they share once, and store their files."""

    async def make(kind: DocumentType, one: DocumentFacts) -> Blob:
        return await runtime.blobs.put(await runtime.presses.typeset(kind, one))

    wanted = {
        (None if kind in SHARED_BY_SUBMISSION else quote_id, kind): one
        for quote_id, one in facts.items()
        for kind in kinds
        if _can_be_made(kind, one)
    }
    blobs = await asyncio.gather(*(make(kind, one) for (_, kind), one in wanted.items()))
    files = dict(zip(wanted, blobs, strict=True))
    return {
        quote_id: MadeDocuments(
            quote_id=quote_id,
            fingerprint=one.fingerprint,
            files={kind: blob for (whose, kind), blob in files.items() if whose in {None, quote_id}},
            packets={PACKET_OF[kind]: _forms(one, PACKET_OF[kind]) for kind in kinds if kind in PACKET_OF},
        )
        for quote_id, one in facts.items()
    }


async def keep_documents(tx: Tx, quote: Quote, made: MadeDocuments) -> Quote:
    """Write down what was made for a locked quote and tell partners; what is there already stays as it is."""
    new = await documents.add(
        tx,
        [
            StoredDocument(
                quote_id=quote.quote_id,
                type=kind,
                version=1,
                sha256=blob.sha256,
                size=blob.size,
                fingerprint=made.fingerprint if kind is DocumentType.APPLICATION else None,
                made_at=tx.now,
            )
            for kind, blob in made.files.items()
        ],
    )
    for packet, forms in made.packets.items():
        await documents.freeze_packet(tx, quote.quote_id, packet, forms)
    # Papers made while a person decides are there on request only: nobody waits for them.
    if not new or not may(quote.status, Trigger.MAKE_DOCUMENTS):
        return quote
    data = {"documents": [kind for kind in DocumentType if kind in made.files]}
    return await advance_quote(tx, quote, Trigger.MAKE_DOCUMENTS, actor=ACTOR, data=data)


def _can_be_made(kind: DocumentType, facts: DocumentFacts) -> bool:
    """Leave out the report of a scan that did not take place."""
    return kind is not DocumentType.SECURITY_REPORT or (facts.scan is not None and facts.scan.has_report)


def _forms(facts: DocumentFacts, packet: PacketType) -> list[PacketDocument]:
    return [
        PacketDocument(form_number=form.form_number, title=form.title, edition_date=form.edition_date)
        for form in facts.forms.of(packet)
    ]
