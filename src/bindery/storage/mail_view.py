"""Mail as operators see it: a list a page at a time, and one with its text."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bindery.storage.database import Reader

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


async def list_mails(
    tx: Reader, *, after: uuid.UUID | None, before: uuid.UUID | None, limit: int
) -> list[ListedMail]:
    """List mail: what was not sent yet first, and of both the newest first.

    `after` is the last mail of the page before, `before` the first one of the page after.
    """
    is_way_back = before is not None
    edge = await _find(tx, before or after)
    groups: tuple[bool, ...] = (True, False) if is_way_back else (False, True)
    if edge is not None:
        groups = groups[groups.index(edge.sent_at is not None) :]
    found: list[ListedMail] = []
    for is_sent in groups:
        beyond = edge if edge is not None and is_sent == (edge.sent_at is not None) else None
        if len(found) < limit:
            found += await _some(
                tx, is_sent=is_sent, beyond=beyond, is_way_back=is_way_back, limit=limit - len(found)
            )
    return found[::-1] if is_way_back else found


async def _some(
    tx: Reader, *, is_sent: bool, beyond: ListedMail | None, is_way_back: bool, limit: int
) -> list[ListedMail]:
    way, sign = ("asc", ">") if is_way_back else ("desc", "<")
    return await tx.rows(
        ListedMail,
        f"""
        select {_COLUMNS} from mails
        where sent_at is {"not null" if is_sent else "null"}
          and ($1::timestamptz is null or (created_at, mail_id) {sign} ($1, $2::uuid))
        order by created_at {way}, mail_id {way} limit $3
        """,
        beyond.created_at if beyond else None,
        beyond.mail_id if beyond else None,
        limit,
    )


async def _find(tx: Reader, mail_id: uuid.UUID | None) -> ListedMail | None:
    if mail_id is None:
        return None
    return await tx.row(ListedMail, f"select {_COLUMNS} from mails where mail_id = $1", mail_id)


async def find(tx: Reader, mail_id: uuid.UUID) -> tuple[ListedMail, str] | None:
    """Find a mail with its text."""
    mail = await _find(tx, mail_id)
    if mail is None:
        return None
    return mail, await tx.value(str, "select body from mails where mail_id = $1", mail_id)
