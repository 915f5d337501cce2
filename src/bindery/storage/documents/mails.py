import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bindery.domain.jobs import SEND_MAIL
from bindery.domain.messages.mails import Mail, read_enclosure
from bindery.storage.database import Reader, Tx
from bindery.storage.jobs import queue


async def write(tx: Tx, quote_id: uuid.UUID | None, mails: Iterable[Mail]) -> None:
    """Write mails in the transaction of what they tell, and queue their sending; one of a kind a quote."""
    for mail in mails:
        mail_id = tx.new_id()
        count = await tx.insert(
            "mails",
            {
                "mail_id": mail_id,
                "quote_id": quote_id,
                "kind": mail.kind,
                "recipients": list(mail.recipients),
                "subject": mail.subject,
                "body": mail.body,
                "attachments": [str(enclosure) for enclosure in mail.enclosures],
                "created_at": tx.now,
            },
            otherwise="on conflict (quote_id, kind) do nothing",
        )
        if count == 1:
            await queue.enqueue(tx, SEND_MAIL, [str(mail_id)])


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A mail in the outbox, and the quote it is about."""

    mail: Mail
    quote_id: uuid.UUID | None
    created_at: datetime


async def find_unsent(tx: Reader, mail_id: uuid.UUID) -> StoredMail | None:
    """Find a mail that has not gone out."""
    row = await tx.connection.fetchrow(
        """
        select quote_id, kind, recipients, subject, body, attachments, created_at from mails
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
        enclosures=tuple(map(read_enclosure, row["attachments"])),
    )
    return StoredMail(mail, row["quote_id"], row["created_at"])


async def unsent(tx: Reader, *, after: datetime, before: datetime, limit: int) -> list[uuid.UUID]:
    """Find mails of that time that have not gone out, the oldest first."""
    return await tx.column(
        uuid.UUID,
        """
        select mail_id from mails where sent_at is null and created_at > $1 and created_at < $2
        order by created_at limit $3
        """,
        after,
        before,
        limit,
    )


async def mark_sent(tx: Tx, mail_id: uuid.UUID) -> None:
    """Note that a mail has gone out."""
    await tx.update("mails", {"mail_id": mail_id}, sent_at=tx.now)
