import uuid

from bindery.actions.read_document import document_bytes
from bindery.contract.documents import DocumentType
from bindery.outside.mail import Attachment
from bindery.runtime import Runtime
from bindery.storage import mails


async def send_mail(runtime: Runtime, mail_id: uuid.UUID) -> None:
    """Send a mail that has not gone out; without SMTP settings it stays in the outbox.

    A crash between sending and its record sends it again: at least once.
    """
    if runtime.postman is None:
        return
    async with runtime.database.reading() as tx:
        found = await mails.find_unsent(tx, mail_id)
    if found is None:
        return
    quote_id, mail = found
    attachments = []
    if quote_id is not None:
        for name in mail.attachments:
            content = await document_bytes(runtime, quote_id, DocumentType(name))
            attachments.append(Attachment(f"{name}.pdf", content))
    await runtime.postman.send(mail.recipients, mail.subject, mail.body, attachments)
    async with runtime.database.transaction() as tx:
        await mails.mark_sent(tx, mail_id)
