import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bindery.actions.documents.make_document import make_document
from bindery.actions.documents.read_document import read_document, read_upload
from bindery.domain.access.deeds import SERVICE, Deed, Doer
from bindery.domain.jobs import SEND_MAIL
from bindery.domain.messages.access_mails import owner_of_address, with_secret
from bindery.domain.messages.mails import SIGNED_APPLICATION, EnclosedUpload
from bindery.outside.mail import Attachment, MailNotTaken
from bindery.runtime import Runtime
from bindery.storage.database import Database
from bindery.storage.documents import mails, uploads
from bindery.storage.documents.mails import SentDocument, UnsentMail
from bindery.storage.documents.uploads import Upload
from bindery.storage.jobs import queue
from bindery.storage.operations import deeds

TRIED_FOR: Final = timedelta(days=3)
RESTS_FOR: Final = timedelta(minutes=10)
BATCH: Final = 1_000


async def send_mail(runtime: Runtime, mail_id: uuid.UUID) -> None:
    """Send a mail to those who have not got it, and keep the proof; without SMTP settings it stays.

    A crash between sending and its record sends it again: at least once.

    Raises:
        MailNotTaken: the server did not take it for everybody; its job is tried again for the others.
    """
    if runtime.postman is None:
        return
    async with runtime.database.reading() as tx:
        mail = await mails.find_unsent(tx, mail_id)
    if mail is None:
        return
    attachments, documents = await _enclose(runtime, mail)
    mail = _with_link(runtime, mail_id, mail)
    try:
        receipt = await runtime.postman.send(
            mail.recipients,
            mail.subject,
            mail.body,
            attachments,
            mail_id=mail_id,
            written_at=mail.created_at,
            html=mail.html,
        )
    except MailNotTaken as fault:
        async with runtime.database.transaction() as tx:
            await mails.record_fault(tx, mail_id, str(fault))
        raise
    refused = "; ".join(f"{address}: {reason}" for address, reason in receipt.refused.items())
    async with runtime.database.transaction() as tx:
        await mails.record_receipt(
            tx,
            mail_id,
            taken=[address for address in mail.recipients if address not in receipt.refused],
            message_id=receipt.message_id,
            answer=receipt.answer,
            documents=documents,
            error=refused or None,
        )
    if refused:
        raise MailNotTaken(refused)


def _with_link(runtime: Runtime, mail_id: uuid.UUID, mail: UnsentMail) -> UnsentMail:
    """Put in the address or the code that only the recipient sees."""
    if mail.sealed_link is None:
        return mail
    secret = runtime.sealer.open(mail.sealed_link, owner=owner_of_address(mail_id)).decode()
    html = None if mail.html is None else with_secret(mail.html, secret)
    return replace(mail, body=with_secret(mail.body, secret), html=html)


async def _enclose(runtime: Runtime, mail: UnsentMail) -> tuple[list[Attachment], list[SentDocument]]:
    attachments, documents = [], []
    if mail.quote_id is not None:
        for enclosure in mail.enclosures:
            if isinstance(enclosure, EnclosedUpload):
                upload = await _upload(runtime.database, enclosure)
                attachments.append(
                    Attachment(f"{SIGNED_APPLICATION}.pdf", await read_upload(runtime, upload))
                )
                documents.append(SentDocument(SIGNED_APPLICATION, 1, upload.sha256))
                continue
            document = await make_document(runtime, mail.quote_id, enclosure.document, enclosure.version)
            content = await read_document(runtime, document)
            attachments.append(Attachment(f"{enclosure.document}.pdf", content))
            documents.append(SentDocument(document.type, document.version, document.sha256))
    return attachments, documents


async def _upload(database: Database, enclosed: EnclosedUpload) -> Upload:
    async with database.reading() as tx:
        upload = await uploads.find(tx, enclosed.document_id)
    assert upload is not None, "an upload is never removed"
    return upload


async def requeue_unsent_mails(runtime: Runtime) -> int:
    """Queue unsent mails again for three days; older ones wait for a person who sends them again."""
    if runtime.postman is None:
        return 0
    async with runtime.database.transaction() as tx:
        unsent = await mails.unsent(tx, after=tx.now - TRIED_FOR, before=tx.now - RESTS_FOR, limit=BATCH)
        return await queue.enqueue(tx, SEND_MAIL, [str(mail_id) for mail_id in unsent], rest=RESTS_FOR)


async def send_mail_again(database: Database, mail_id: uuid.UUID, *, by: Doer = SERVICE) -> bool:
    """Try a mail that was not sent for three days more; return whether it was still unsent."""
    async with database.transaction() as tx:
        is_unsent = await mails.send_again(tx, mail_id)
        if is_unsent:
            await deeds.append(tx, by, Deed.MAIL_RESENT, str(mail_id))
    return is_unsent
