"""What there is to know about a case beside its options: where it comes from, notes, and mails."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binders import BinderUse
from bindery.domain.quote.authority import Colleague
from bindery.storage.database import Reader, Tx
from bindery.storage.desk.authority import ALL_AS_JSON, read_all
from bindery.storage.submission.submissions import COLUMNS, StoredSubmission, from_row


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


class Origin(msgspec.Struct, frozen=True):
    """Through whom a case came in, and how often its company was submitted before, for any product.

    `outcomes` counts the options of those submissions by their status. Of a renewal there are also the policy
    that ends, and the case it was bound in.
    """

    partner: str
    firm: str | None
    policy: str | None
    bound_in: uuid.UUID | None
    earlier: int = 0
    outcomes: dict[QuoteStatus, int] = {}


MOST_EARLIER: Final = 20
_read_origin: Final = msgspec.json.Decoder(Origin).decode
_ORIGIN: Final = f"""
    select json_build_object(
        'partner', p.name, 'firm', b.firm, 'policy', x.policy_number, 'bound_in', q.submission_id,
        'earlier', cardinality(e.ids),
        'outcomes', (select coalesce(json_object_agg(status, options), '{{}}') from (
            select status, count(*) as options from quotes where submission_id = any(e.ids) group by status
        ) counted)
    )::text
    from submissions s join partners p using (partner_id) join brokers b using (broker_id)
    cross join lateral (select array(
        select submission_id from submissions
        where company_id = s.company_id and created_at < s.created_at
        order by created_at desc limit {MOST_EARLIER}
    ) as ids) e
    left join binds x on x.quote_id = s.renews left join quotes q on q.quote_id = s.renews
    where s.submission_id = $1
"""


_BINDER: Final = """
select json_build_object('agreement', b.agreement, 'premium_limit', b.premium_limit,
                         'premium_booked', b.premium_booked, 'notify_at', b.notify_at)
from submissions m
cross join lateral (
    select coalesce((select max(d.effective) from quotes q join binds d using (quote_id)
                     where q.submission_id = m.submission_id), m.effective) as day) first
join binder_sections s on s.product = m.product and m.state = any(s.states)
join binders b on b.binder_id = s.binder_id and b.inception <= first.day and first.day < b.expiry
where m.submission_id = $1
"""
"""The binder that covers a case on its first day, in one value, for a statement that reads more."""
_read_binder: Final = msgspec.json.Decoder(BinderUse).decode


@dataclass(frozen=True, slots=True)
class AboutCase:
    notes: list[DeskNote]
    mails: list[MailOfQuote]
    underwriters: tuple[Colleague, ...]
    origin: Origin
    binder: BinderUse | None


async def written_about(
    tx: Reader, submission_id: uuid.UUID, quote_ids: Sequence[uuid.UUID], *, most_mails: int
) -> AboutCase:
    """Return the notes about a submission, the mails about its quotes, and who and what bounds a decision."""
    statement = f"""
    (select null::boolean, ({_ORIGIN}), now(), ({ALL_AS_JSON}), false, null::timestamptz, null::timestamptz,
            ({_BINDER})::text)
    union all
    (select true, u.name, n.at, n.text, n.is_step, null::timestamptz, null::timestamptz, null
     from desk_notes n join users u using (user_id) where n.submission_id = $1 order by n.note_id desc)
    union all
    (select false, array_to_string(m.recipients, ', '), m.created_at, m.subject, false, m.sent_at,
            coalesce(m.taken_at, m.sent_at), null
     from mails m where m.quote_id = any($2) order by m.created_at desc, m.mail_id limit $3)
    """
    rows = await tx.connection.fetch(statement, submission_id, list(quote_ids), most_mails)
    notes = [DeskNote(*row[1:5]) for row in rows if row[0]]
    mails = [MailOfQuote(*row[1:4], *row[5:7]) for row in rows if row[0] is False]
    (beside,) = [row for row in rows if row[0] is None]
    binder = _read_binder(beside[7]) if beside[7] else None
    return AboutCase(notes, mails, read_all(beside[3]), _read_origin(beside[1]), binder)


@dataclass(frozen=True, slots=True)
class BoundedCase:
    """A submission, and what bounds a decision about it: who decides how far alone, and the binder."""

    stored: StoredSubmission
    underwriters: tuple[Colleague, ...]
    binder: BinderUse | None


async def bounded_case(tx: Reader, submission_id: uuid.UUID) -> BoundedCase:
    """Read a submission that is known to exist, with what bounds a decision about it."""
    statement = f"""
    select {COLUMNS}, ({ALL_AS_JSON}) as underwriters, ({_BINDER})::text as binder
    from submissions where submission_id = $1
    """
    row = await tx.connection.fetchrow(statement, submission_id)
    assert row is not None, "a submission is never deleted"
    binder = _read_binder(row["binder"]) if row["binder"] else None
    return BoundedCase(from_row(row), read_all(row["underwriters"]), binder)


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
