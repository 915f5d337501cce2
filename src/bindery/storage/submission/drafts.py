import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.fields import Fields
from bindery.domain.drafts.merging import Merged, TypedByOther
from bindery.storage.database import Reader, Tx

_read_fields = msgspec.json.Decoder(dict[str, tuple[str, ...]]).decode
_read_names = msgspec.json.Decoder(dict[str, str]).decode
_read_others = msgspec.json.Decoder(dict[str, TypedByOther]).decode

_SELECT = """
select d.draft_id, d.partner_id, d.version, d.fields, d.typists, d.others, d.question_edition,
       a.name as created_by, b.name as changed_by, d.created_at, d.changed_at, d.sent_as, s.company_id
from drafts d join users a on a.user_id = d.created_by join users b on b.user_id = d.changed_by
    left join submissions s on s.submission_id = d.sent_as
"""


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
    statement = f"{_SELECT} where d.draft_id = $1 and d.partner_id = $2"
    row = await tx.connection.fetchrow(statement, draft_id, partner_id)
    return None if row is None else _from_row(row)


async def lock(tx: Tx, draft_id: uuid.UUID, *, partner_id: int) -> Draft | None:
    statement = f"{_SELECT} where d.draft_id = $1 and d.partner_id = $2 for update of d"
    row = await tx.connection.fetchrow(statement, draft_id, partner_id)
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


async def change(tx: Tx, draft: Draft, changes: Merged, *, user_id: int) -> bool:
    """Write changes over the version that they were made from; False if it is that no longer."""
    statement = """
    update drafts set fields = $4, typists = $5, others = $6, changed_by = $7, changed_at = $8,
                      version = version + 1
    where draft_id = $1 and partner_id = $2 and version = $3 and sent_as is null
    """
    values = _json(changes.fields), _json(changes.typists), _json(changes.others), user_id, tx.now
    return await tx.execute(statement, draft.draft_id, draft.partner_id, draft.version, *values) == 1


async def mark_sent(tx: Tx, draft_id: uuid.UUID, *, quote_id: uuid.UUID) -> None:
    """Write what a draft was sent as; it stays what it became first."""
    statement = """
    update drafts d set sent_as = q.submission_id, changed_at = $3, version = d.version + 1
    from quotes q where d.draft_id = $1 and q.quote_id = $2 and d.sent_as is null
    """
    await tx.execute(statement, draft_id, quote_id, tx.now)


async def delete(tx: Tx, draft_id: uuid.UUID, *, partner_id: int) -> bool:
    """Delete a draft that was not sent; False if there is none."""
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
    draft_id: uuid.UUID
    name: str
    product: str
    changed_by: str
    changed_at: datetime


async def newest(tx: Reader, *, partner_id: int, most: int) -> Sequence[DraftLine]:
    """Return a partner's drafts that were not sent, those changed last first."""
    statement = """
    select d.draft_id, coalesce(d.fields -> 'client.name' ->> 0, '') as name,
           coalesce(d.fields -> 'policy.insurance_product' ->> 0, '') as product,
           u.name as changed_by, d.changed_at
    from drafts d join users u on u.user_id = d.changed_by
    where d.partner_id = $1 and d.sent_as is null order by d.changed_at desc limit $2
    """
    return await tx.rows(DraftLine, statement, partner_id, most)
