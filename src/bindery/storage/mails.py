import uuid
from collections.abc import Iterable

from bindery.domain.mails import Mail
from bindery.storage import queue
from bindery.storage.database import Tx

SEND_MAIL = "send_mail"


async def write(tx: Tx, quote_id: uuid.UUID, mails: Iterable[Mail]) -> None:
    """Write mails in the transaction of what they tell, and queue their sending; one of a kind for a quote."""
    for mail in mails:
        mail_id = tx.new_id()
        status: str = await tx.connection.execute(
            """
            insert into mails (mail_id, quote_id, kind, recipients, subject, body, attachments, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (quote_id, kind) do nothing
            """,
            mail_id,
            quote_id,
            mail.kind,
            list(mail.recipients),
            mail.subject,
            mail.body,
            list(mail.attachments),
            tx.now,
        )
        if status.endswith(" 1"):
            await queue.enqueue(tx, SEND_MAIL, [str(mail_id)])


async def find_unsent(tx: Tx, mail_id: uuid.UUID) -> tuple[uuid.UUID | None, Mail] | None:
    """Find a mail that has not gone out, with the quote it is about."""
    row = await tx.connection.fetchrow(
        """
        select quote_id, kind, recipients, subject, body, attachments from mails
        where mail_id = $1 and sent_at is null
        """,
        mail_id,
    )
    if row is None:
        return None
    mail = Mail(
        kind=row["kind"],
        recipients=tuple(row["recipients"]),
        subject=row["subject"],
        body=row["body"],
        attachments=tuple(row["attachments"]),
    )
    return row["quote_id"], mail


async def mark_sent(tx: Tx, mail_id: uuid.UUID) -> None:
    """Note that a mail has gone out."""
    await tx.connection.execute("update mails set sent_at = $2 where mail_id = $1", mail_id, tx.now)
