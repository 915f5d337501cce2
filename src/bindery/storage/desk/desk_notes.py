"""What was written about a case: notes of underwriters, what happened to it at the desk, and mails."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bindery.domain.quote.authority import Colleague
from bindery.storage.database import Reader, Tx
from bindery.storage.desk.authority import ALL_AS_JSON, read_all


@dataclass(frozen=True, slots=True)
class DeskNote:
    """What an underwriter wrote; or, as a step, what happened to the case at the desk and nowhere else."""

    author: str
    at: datetime
    text: str
    is_step: bool = False


async def add_note(
    tx: Tx, submission_id: uuid.UUID, *, user_id: int, text: str, is_step: bool = False
) -> None:
    note = {
        "submission_id": submission_id,
        "user_id": user_id,
        "at": tx.now,
        "text": text,
        "is_step": is_step,
    }
    await tx.insert("desk_notes", note)


@dataclass(frozen=True, slots=True)
class MailOfQuote:
    recipients: str
    at: datetime
    subject: str
    sent_at: datetime | None
    taken_at: datetime | None


async def written_about(
    tx: Reader, submission_id: uuid.UUID, quote_ids: Sequence[uuid.UUID], *, most_mails: int
) -> tuple[list[DeskNote], list[MailOfQuote], tuple[Colleague, ...]]:
    """Return the notes about a submission, the mails about its quotes, and who decides how far alone."""
    statement = f"""
    (select null::boolean, '', now(), ({ALL_AS_JSON}), false, null::timestamptz, null::timestamptz)
    union all
    (select true, u.name, n.at, n.text, n.is_step, null::timestamptz, null::timestamptz
     from desk_notes n join users u using (user_id) where n.submission_id = $1 order by n.note_id desc)
    union all
    (select false, array_to_string(m.recipients, ', '), m.created_at, m.subject, false, m.sent_at,
            coalesce(m.taken_at, m.sent_at)
     from mails m where m.quote_id = any($2) order by m.created_at desc, m.mail_id limit $3)
    """
    rows = await tx.connection.fetch(statement, submission_id, list(quote_ids), most_mails)
    notes = [DeskNote(*row[1:5]) for row in rows if row[0]]
    (everybody,) = [read_all(row[3]) for row in rows if row[0] is None]
    return notes, [MailOfQuote(*row[1:4], *row[5:]) for row in rows if row[0] is False], everybody


async def news_beside(
    tx: Reader, submission_id: uuid.UUID, since: datetime, *, user_id: int, actor: str
) -> str | None:
    """Return the newest that others did to a case beside its options, in a sentence: notes, steps, files."""
    statement = """
    select said from (
        (select n.at, case when n.is_step then u.name || ' ' || n.text || '.'
                           else u.name || ' wrote a note.' end as said
         from desk_notes n join users u using (user_id)
         where n.submission_id = $1 and n.at > $2 and n.user_id <> $3 order by n.at desc limit 1)
        union all
        (select f.uploaded_at, f.name || ' came in.' from quotes q join uploads f using (quote_id)
         where q.submission_id = $1 and f.uploaded_at > $2 and f.uploaded_by <> $4
         order by f.uploaded_at desc limit 1)
    ) news order by at desc limit 1
    """
    return await tx.find_value(str, statement, submission_id, since, user_id, actor)
