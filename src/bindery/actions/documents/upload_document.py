import asyncio
import mmap
import tempfile
import uuid
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final

import msgspec

from bindery.actions.documents.gather_facts import find_facts
from bindery.actions.documents.make_document import make_document
from bindery.actions.documents.read_document import read_document
from bindery.actions.documents.write_mails import write_file_mail
from bindery.actions.quote.advance_quote import note_receipt
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.contract.documents import DocumentType, PacketType, UploadReceipt
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.application_marks import ApplicationMark
from bindery.domain.documents.application_matching import (
    JudgedUpload,
    PaperReading,
    judge_other,
    judge_paper,
    judge_unsigned,
    match_application,
    other_quote_in,
    pages_body,
)
from bindery.domain.documents.file_types import PaperType, clean_name, paper_type_of
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.quote.quote import Quote
from bindery.outside.blobs import Blob
from bindery.runtime import Runtime
from bindery.storage.access import legacy_ids
from bindery.storage.database import Reader, Tx
from bindery.storage.desk import desk
from bindery.storage.desk.desk_filter import DeskKind
from bindery.storage.documents import uploads
from bindery.storage.documents.documents import StoredDocument
from bindery.storage.documents.uploads import Upload
from bindery.storage.idempotency import idempotently, replay
from bindery.storage.quote import contingencies, quotes

PIECE_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadAsk:
    """A file and what it is for; one that is `sent_once` and came before is not recorded a second time."""

    caller: Caller
    quote_identifier: str
    contingency: str | None
    name: str | None
    filename: str | None
    file: BinaryIO
    sent_once: bool = False


@dataclass(frozen=True, slots=True)
class _Subject:
    quote_id: uuid.UUID
    submission_id: uuid.UUID
    contingency: Contingency | None


async def upload_document(runtime: Runtime, ask: UploadAsk) -> bytes:
    """Keep an uploaded file with the text and marks read from it, and return the receipt's JSON.

    The upload waits in its file for the partner's turn, so that waiting uploads take no memory and one
    partner's uploads hold up no other's. A crash before the last step leaves a stored file that nothing
    refers to; sending it again stores it once.
    """
    async with runtime.database.reading() as tx:
        if (first_answer := await replay(tx, ask.caller)) is not None:
            return first_answer
    kind = await asyncio.to_thread(_type_of, ask.file)
    async with runtime.database.reading() as tx:
        subject = await _subject(tx, ask)
    async with runtime.upload_turns.turn(ask.caller.partner_id):
        # Mapped and not read: what is read in threads stays with the process after it is freed.
        content = memoryview(mmap.mmap(ask.file.fileno(), 0, access=mmap.ACCESS_READ))
        blob = await runtime.blobs.put(content)
        del content
        finding = await _judge(runtime, ask, subject, kind=kind, blob=blob)
    async with runtime.database.transaction() as tx:
        return await idempotently(
            tx,
            ask.caller,
            partial(_record, tx, runtime.rules, ask, subject, kind=kind, blob=blob, finding=finding),
        )


async def _subject(tx: Reader, ask: UploadAsk) -> _Subject:
    quote_id = await legacy_ids.quote_id_of(tx, ask.quote_identifier, partner_id=ask.caller.partner_id)
    quote = await quotes.find(tx, quote_id, partner_id=ask.caller.partner_id) if quote_id else None
    if quote is None:
        raise NotFound("There is no such quote.")
    if ask.contingency is None:
        return _Subject(quote.quote_id, quote.submission_id, None)
    for owed in await contingencies.of_quote(tx, quote.quote_id):
        if owed.contingency_id == ask.contingency:
            return _Subject(quote.quote_id, quote.submission_id, owed)
    flaw = Problem("contingency", "unknown_contingency", "is not a contingency of this quote")
    raise InvalidRequest.because([flaw])


async def _judge(
    runtime: Runtime, ask: UploadAsk, subject: _Subject, *, kind: PaperType, blob: Blob
) -> JudgedUpload:
    """Compare an application for the signature contingency with the issued one; file anything else."""
    if subject.contingency is None or not subject.contingency.is_signature:
        return judge_paper(await runtime.upload_reader.read(ask.file, kind))
    issued = await make_document(runtime, subject.quote_id, DocumentType.APPLICATION)
    reading = await _compare(runtime, ask, kind, issued)
    if blob.sha256 == issued.sha256:
        return judge_unsigned(len(reading.issued))
    other = other_quote_in(reading, _mark_of(issued))
    if other is None:
        return await asyncio.to_thread(match_application, reading, _mark_of(issued))
    return await _judge_other(runtime, ask, subject, reading, other, kind=kind)


async def _compare(runtime: Runtime, ask: UploadAsk, kind: PaperType, issued: StoredDocument) -> PaperReading:
    with tempfile.TemporaryFile() as original:
        original.write(await read_document(runtime, issued))
        original.flush()
        return await runtime.upload_reader.read(ask.file, kind, original)


def _mark_of(issued: StoredDocument) -> ApplicationMark:
    assert issued.fingerprint is not None, "an application is recorded with its fingerprint"
    return ApplicationMark(str(issued.quote_id), issued.fingerprint)


async def _judge_other(
    runtime: Runtime, ask: UploadAsk, subject: _Subject, reading: PaperReading, other: str, *, kind: PaperType
) -> JudgedUpload:
    """Judge the application of another quote: one signature serves all options with the same answers.

    Of a quote of another partner nothing is said but that it is not the caller's.
    """
    async with runtime.database.reading() as tx:
        own = await quotes.get(tx, subject.quote_id)
        found = await _find(tx, ask, other)
        if found is None:
            return judge_other(reading, company="a quote that is not yours")
        if found.company_id != own.company_id:
            return judge_other(reading, company="another company")
        answers = [
            (facts.insured, facts.questions)
            for quote_id in (own.quote_id, found.quote_id)
            for facts in [await find_facts(tx, runtime.rules, quote_id, PacketType.QUOTE)]
        ]
    if found.submission_id != own.submission_id or answers[0] != answers[1]:
        return judge_other(reading, company="another request of this company")
    issued = await make_document(runtime, found.quote_id, DocumentType.APPLICATION)
    reading = await _compare(runtime, ask, kind, issued)
    return await asyncio.to_thread(
        match_application, reading, _mark_of(issued), option=found.option_number + 1
    )


async def _find(tx: Reader, ask: UploadAsk, quote_identifier: str) -> Quote | None:
    try:
        quote_id = uuid.UUID(quote_identifier)
    except ValueError:
        return None
    return await quotes.find(tx, quote_id, partner_id=ask.caller.partner_id)


async def _record(
    tx: Tx,
    rules: BusinessRules,
    ask: UploadAsk,
    subject: _Subject,
    *,
    kind: PaperType,
    blob: Blob,
    finding: JudgedUpload,
) -> bytes:
    owed = subject.contingency
    contingency_id = int(owed.contingency_id) if owed else None
    if ask.sent_once:
        # Two presses of one button come one after the other.
        await quotes.lock(tx, subject.quote_id)
        before = await uploads.find_same(tx, subject.quote_id, contingency_id, sha256=blob.sha256)
        if before is not None:
            return _receipt(before)
    upload = Upload(
        document_id=tx.new_id(),
        quote_id=subject.quote_id,
        contingency_id=contingency_id,
        name=clean_name(ask.name, ask.filename),
        content_type=kind,
        size=blob.size,
        sha256=blob.sha256,
        uploaded_at=tx.now,
        uploaded_by=ask.caller.actor,
        finding=finding,
    )
    await uploads.add(tx, upload)
    await write_file_mail(tx, rules, upload, contingency=owed.text if owed else None)
    if owed is not None:
        await note_receipt(tx, subject.quote_id)
        await desk.refresh_desk_items(tx, [subject.submission_id])
        # Whoever asked about a paper may have what was missing now; the question stays open for an answer.
        await desk.start_clock(tx, subject.submission_id, DeskKind.PAPER)
    return _receipt(upload)


def _receipt(upload: Upload) -> bytes:
    owed = upload.contingency_id
    return msgspec.json.encode(
        UploadReceipt(
            document_id=str(upload.document_id),
            quote_identifier=str(upload.quote_id),
            contingency=str(owed) if owed is not None else None,
            name=upload.name,
            content_type=upload.content_type,
            size=upload.size,
            sha256=upload.sha256,
            finding=upload.finding.verdict,
            signature=upload.finding.signature,
            pages=pages_body(upload.finding),
            message=upload.finding.note,
        )
    )


def _type_of(file: BinaryIO) -> PaperType:
    file.seek(0)
    return paper_type_of(iter(partial(file.read, PIECE_BYTES), b""))
