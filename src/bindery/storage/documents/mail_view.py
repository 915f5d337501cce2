"""Mail as operators see it: a list a page at a time, and one with its text."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of

_COLUMNS: Final = "mail_id, quote_id, kind, recipients, subject, attachments, created_at, sent_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMail:
    """A mail: who it is for, what it is about, and whether it was sent."""

    mail_id: uuid.UUID
    quote_id: uuid.UUID | None
    kind: str
    recipients: tuple[str, ...]
    subject: str
    attachments: tuple[str, ...]
    created_at: datetime
    sent_at: datetime | None


async def list_mails(tx: Reader, *, cursor: Cursor | None, limit: int) -> ListPage[ListedMail]:
    """List mail: what was not sent yet first, and of both the newest first."""
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
    """Find a mail with its text."""
    mail = await _find(tx, mail_id)
    if mail is None:
        return None
    return mail, await tx.value(str, "select body from mails where mail_id = $1", mail_id)
