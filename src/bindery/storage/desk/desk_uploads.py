import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.storage.database import Reader
from bindery.storage.desk.desk import DeskNote


@dataclass(frozen=True, slots=True)
class MailOfQuote:
    recipients: str
    at: datetime
    subject: str
    sent_at: datetime | None


async def written_about(
    tx: Reader, submission_id: uuid.UUID, quote_ids: Sequence[uuid.UUID], *, most_mails: int
) -> tuple[list[DeskNote], list[MailOfQuote]]:
    statement = """
    (select true, u.name, n.at, n.text, null::timestamptz
     from desk_notes n join users u using (user_id) where n.submission_id = $1 order by n.note_id desc)
    union all
    (select false, array_to_string(m.recipients, ', '), m.created_at, m.subject, m.sent_at
     from mails m where m.quote_id = any($2) order by m.created_at desc, m.mail_id limit $3)
    """
    rows = await tx.connection.fetch(statement, submission_id, list(quote_ids), most_mails)
    notes = [DeskNote(*row[1:4]) for row in rows if row[0]]
    return notes, [MailOfQuote(*row[1:]) for row in rows if not row[0]]


@dataclass(frozen=True, slots=True)
class LastDecided:
    """When a case last left the desk and who decided it; `by` is None if time ran out."""

    at: datetime
    by: str | None


async def last_decided(tx: Reader) -> LastDecided | None:
    statement = """
    select d.closed_at as at, (
        select u.name from quotes q join journal j using (quote_id) left join users u on u.email = j.actor
        where q.submission_id = d.submission_id and j.at <= d.closed_at
        order by j.at desc, u.name is null, j.entry desc limit 1) as by
    from desk_items d where d.closed_at is not null order by d.closed_at desc limit 1
    """
    return await tx.row(LastDecided, statement)
