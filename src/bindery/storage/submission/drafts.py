import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.domain.drafts.draft import KEPT_FOR, Draft
from bindery.domain.drafts.fields import Fields
from bindery.domain.drafts.merging import Merged, TypedByOther
from bindery.storage.database import Reader, Tx

_read_fields = msgspec.json.Decoder(dict[str, tuple[str, ...]]).decode
_read_names = msgspec.json.Decoder(dict[str, str]).decode
_read_others = msgspec.json.Decoder(dict[str, TypedByOther]).decode

_ONE = "select * from drafts where draft_id = $1 and partner_id = $2"
_READ = """
with d as materialized ({one})
select d.draft_id, d.partner_id, d.version, d.fields, d.typists, d.others, d.question_edition,
       a.name as created_by, b.name as changed_by, d.created_at, d.changed_at, d.sent_as, s.company_id,
       exists (select from client_links k where k.draft_id = d.draft_id) as has_links
from d join users a on a.user_id = d.created_by join users b on b.user_id = d.changed_by
    left join submissions s on s.submission_id = d.sent_as
"""
_FIND = _READ.format(one=_ONE)
# By itself: a lock that was waited for looks at its row again, but not at those that it was joined with, so
# that a draft which a colleague changed meanwhile would seem to be gone.
_LOCK = _READ.format(one=f"{_ONE} for update")


def _from_row(row: asyncpg.Record) -> Draft:
    read = {
        "fields": _read_fields(row["fields"]),
        "typists": _read_names(row["typists"]),
        "others": _read_others(row["others"]),
    }
    return Draft(**{**row, **read})


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def find(tx: Reader, draft_id: uuid.UUID, *, partner_id: int) -> Draft | None:
    row = await tx.connection.fetchrow(_FIND, draft_id, partner_id)
    return None if row is None else _from_row(row)


async def lock(tx: Tx, draft_id: uuid.UUID, *, partner_id: int) -> Draft | None:
    row = await tx.connection.fetchrow(_LOCK, draft_id, partner_id)
    return None if row is None else _from_row(row)


async def add(
    tx: Tx,
    draft_id: uuid.UUID,
    fields: Fields,
    *,
    partner_id: int,
    user_id: int,
    typist: str,
    question_edition: str,
) -> bool:
    """Add a draft; False if there is one of this id."""
    row = {
        "draft_id": draft_id,
        "partner_id": partner_id,
        "created_by": user_id,
        "changed_by": user_id,
        "fields": _json(fields),
        "typists": _json(dict.fromkeys(fields, typist)),
        "question_edition": question_edition,
        "created_at": tx.now,
        "changed_at": tx.now,
    }
    return await tx.insert("drafts", row, otherwise="on conflict (draft_id) do nothing") == 1


async def change(tx: Tx, draft: Draft, changes: Merged, *, user_id: int | None) -> bool:
    """Write changes over the version that they were made from; False if it is that no longer.

    Without a user the changes are the client's, who has no account.
    """
    statement = """
    update drafts set fields = $4, typists = $5, others = $6, changed_by = coalesce($7, changed_by),
                      changed_at = $8, version = version + 1
    where draft_id = $1 and partner_id = $2 and version = $3 and sent_as is null
    """
    values = _json(changes.fields), _json(changes.typists), _json(changes.others), user_id, tx.now
    return await tx.execute(statement, draft.draft_id, draft.partner_id, draft.version, *values) == 1


async def keep_longer(tx: Tx, draft_id: uuid.UUID) -> None:
    """Keep a draft for as long as a link that asks its questions."""
    await tx.execute("update drafts set changed_at = $2 where draft_id = $1", draft_id, tx.now)


async def mark_sent(tx: Tx, draft_id: uuid.UUID, *, quote_id: uuid.UUID) -> None:
    """Write what a draft was sent as; it stays what it became first."""
    statement = """
    update drafts d set sent_as = q.submission_id, changed_at = $3, version = d.version + 1
    from quotes q where d.draft_id = $1 and q.quote_id = $2 and d.sent_as is null
    """
    await tx.execute(statement, draft_id, quote_id, tx.now)


async def delete(tx: Tx, draft_id: uuid.UUID, *, partner_id: int) -> bool:
    """Delete a draft that was not sent; return whether it was there."""
    statement = "delete from drafts where draft_id = $1 and partner_id = $2 and sent_as is null"
    return await tx.execute(statement, draft_id, partner_id) == 1


async def purge(tx: Tx, *, before: datetime, limit: int) -> int:
    statement = """
    delete from drafts where draft_id in (
        select draft_id from drafts where changed_at < $1
        order by changed_at limit $2 for update skip locked)
    """
    return await tx.execute(statement, before, limit)


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A draft in a list, with the newest link by which its client was asked: whom, and when they answered.

    `answers` is what they answered; `is_settled`: it is in the draft.
    """

    draft_id: uuid.UUID
    name: str
    product: str
    changed_by: str
    changed_at: datetime
    client: str | None = None
    answers: str | None = None
    answered_at: datetime | None = None
    is_settled: bool = True
    is_news: bool = False


_LINE = """
select d.draft_id, coalesce(d.fields -> 'client.name' ->> 0, '') as name,
       coalesce(d.fields -> 'policy.insurance_product' ->> 0, '') as product,
       u.name as changed_by, d.changed_at, coalesce(k.name, k.email) as client, k.answers,
       case when k.status = 'answered' then k.settled_at end as answered_at,
       k.taken_at is not null as is_settled
"""
_NEWEST = f"""
{_LINE}, false as is_news from drafts d join users u on u.user_id = d.changed_by
left join lateral (
    select * from client_links k
    where k.draft_id = d.draft_id
      and (k.status = 'answered' or k.status in ('sent', 'opened') and k.expires_at > $2)
    order by k.created_at desc limit 1) k on true
where d.partner_id = $1 and d.sent_as is null order by d.changed_at desc limit $3
"""


async def newest(tx: Reader, *, partner_id: int, most: int) -> Sequence[DraftLine]:
    """Return a partner's drafts that were not sent, those changed last first."""
    return await tx.rows(DraftLine, _NEWEST, partner_id, tx.now, most)


async def for_today(
    tx: Reader, *, partner_id: int, broker: str, newest: int, most: int
) -> Sequence[DraftLine]:
    """Return the newest drafts, and as `is_news` those whose client has answered a broker.

    These are news until somebody goes on with the draft, and has chosen where an answer differs.
    """
    statement = f"""
    ({_NEWEST}) union all
    ({_LINE}, true from client_links k join drafts d on d.draft_id = k.draft_id
     join users u on u.user_id = d.changed_by
     where k.partner_id = $1 and k.draft_id is not null and k.status = 'answered' and k.settled_at > $4
       and k.broker_email = $5 and d.sent_as is null and (d.changed_at <= k.settled_at or k.taken_at is null)
     order by k.settled_at desc limit $6)
    """
    since = tx.now - KEPT_FOR
    return await tx.rows(DraftLine, statement, partner_id, tx.now, newest, since, broker, most)
