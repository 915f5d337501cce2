import uuid
from datetime import timedelta
from typing import Final

from bindery.actions.documents.make_document import make_document
from bindery.actions.documents.read_document import read_document
from bindery.domain.jobs import SEND_MAIL
from bindery.outside.mail import Attachment
from bindery.runtime import Runtime
from bindery.storage.documents import mails
from bindery.storage.jobs import queue

TRIED_FOR: Final = timedelta(days=3)
RESTS_FOR: Final = timedelta(minutes=10)
BATCH: Final = 1_000


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
    mail, attachments = found.mail, []
    if found.quote_id is not None:
        for enclosure in mail.enclosures:
            document = await make_document(runtime, found.quote_id, enclosure.document, enclosure.version)
            attachments.append(
                Attachment(f"{enclosure.document}.pdf", await read_document(runtime, document))
            )
    await runtime.postman.send(
        mail.recipients, mail.subject, mail.body, attachments, mail_id=mail_id, written_at=found.created_at
    )
    async with runtime.database.transaction() as tx:
        await mails.mark_sent(tx, mail_id)


async def requeue_unsent_mails(runtime: Runtime) -> int:
    """Queue unsent mails again for three days; nobody waits for older ones."""
    if runtime.postman is None:
        return 0
    async with runtime.database.transaction() as tx:
        unsent = await mails.unsent(tx, after=tx.now - TRIED_FOR, before=tx.now - RESTS_FOR, limit=BATCH)
        return await queue.enqueue(tx, SEND_MAIL, [str(mail_id) for mail_id in unsent], rest=RESTS_FOR)
