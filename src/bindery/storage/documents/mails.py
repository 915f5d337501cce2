import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.domain.jobs import SEND_MAIL
from bindery.domain.messages.mails import Mail, read_enclosure
from bindery.storage.database import Reader, Tx
from bindery.storage.jobs import queue
from bindery.storage.list_pages import Cursor, ListPage, page_of


async def write(tx: Tx, quote_id: uuid.UUID | None, mails: Iterable[Mail]) -> None:
    """Write mails in the transaction of their event and queue their sending; one mail of a kind per quote."""
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
    mail: Mail
    quote_id: uuid.UUID | None
    created_at: datetime


async def find_unsent(tx: Reader, mail_id: uuid.UUID) -> StoredMail | None:
    statement = """
    select quote_id, kind, recipients, subject, body, attachments, created_at from mails
    where mail_id = $1 and sent_at is null
    """
    row = await tx.connection.fetchrow(statement, mail_id)
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
    statement = """
    select mail_id from mails where sent_at is null and created_at > $1 and created_at < $2
    order by created_at limit $3
    """
    return await tx.column(uuid.UUID, statement, after, before, limit)


async def mark_sent(tx: Tx, mail_id: uuid.UUID) -> None:
    await tx.update("mails", {"mail_id": mail_id}, sent_at=tx.now)


_COLUMNS: Final = "mail_id, quote_id, kind, recipients, subject, attachments, created_at, sent_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMail:
    mail_id: uuid.UUID
    quote_id: uuid.UUID | None
    kind: str
    recipients: tuple[str, ...]
    subject: str
    attachments: tuple[str, ...]
    created_at: datetime
    sent_at: datetime | None


async def list_mails(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[ListedMail]:
    """List unsent mail first, and the newest first within both halves."""
    backward = cursor is not None and cursor.backward
    direction, sign = ("asc", ">") if backward else ("desc", "<")
    last = await _find(tx, cursor.key) if cursor is not None else None
    found: list[ListedMail] = []
    # Each half has an index of its own, which both at once would not be read along.
    for is_sent in (True, False) if backward else (False, True):
        if last is not None and is_sent != (last.sent_at is not None):
            continue
        found += await tx.rows(
            ListedMail,
            f"""
            select {_COLUMNS} from mails
            where sent_at is {"not null" if is_sent else "null"}
              and ($1::timestamptz is null or (created_at, mail_id) {sign} ($1, $2::uuid))
            order by created_at {direction}, mail_id {direction} limit $3
            """,
            last.created_at if last else None,
            last.mail_id if last else None,
            limit + 1 - len(found),
        )
        # The other half begins at its own end.
        last = None
        if len(found) > limit:
            break
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("mail_id"))


async def _find(tx: Reader, mail_id: uuid.UUID) -> ListedMail | None:
    return await tx.row(ListedMail, f"select {_COLUMNS} from mails where mail_id = $1", mail_id)


async def find(tx: Reader, mail_id: uuid.UUID) -> tuple[ListedMail, str] | None:
    mail = await _find(tx, mail_id)
    if mail is None:
        return None
    return mail, await tx.value(str, "select body from mails where mail_id = $1", mail_id)
