"""What the service keeps, read batch by batch to be checked against each other and against the files."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.domain.policy.kept_bind import KeptBind
from bindery.storage.database import Reader


class KeptFileKind(StrEnum):
    DOCUMENT = "document"
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A row that names a file; `quote_id` is None for what belongs to no quote."""

    kind: KeptFileKind
    quote_id: uuid.UUID | None
    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFlaw:
    quote_id: uuid.UUID | None
    what: str


async def quotes_after(tx: Reader, last: uuid.UUID, *, limit: int) -> list[uuid.UUID]:
    statement = "select quote_id from quotes where quote_id > $1 order by quote_id limit $2"
    return await tx.column(uuid.UUID, statement, last, limit)


async def some_quotes(tx: Reader, count: int) -> list[uuid.UUID]:
    statement = "select quote_id from (select quote_id from quotes order by random() limit $1) q order by 1"
    return await tx.column(uuid.UUID, statement, count)


_FILES: Final = """
select 'document' as kind, quote_id, type || ', version ' || version as name, sha256
from documents where quote_id = any($1)
union all
select 'document', quote_id, 'certificate ' || number, sha256
from certificates where quote_id = any($1) and sha256 is not null
union all
select 'upload', quote_id, name, sha256 from uploads where quote_id = any($1)
"""


async def hashes_of(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[KeptFileKind, list[str]]:
    """Return the hashes of the files of quotes, without what the rows say of them."""
    statement = f"select kind, array_agg(sha256) as hashes from ({_FILES}) f group by kind"
    rows = await tx.connection.fetch(statement, list(quote_ids))
    return {KeptFileKind(row["kind"]): row["hashes"] for row in rows}


async def files_with(tx: Reader, quote_ids: Sequence[uuid.UUID], hashes: Collection[str]) -> list[KeptFile]:
    """Return the files of quotes that have one of the hashes."""
    statement = f"select * from ({_FILES}) f where sha256 = any($2) order by quote_id, kind, name"
    return await tx.rows(KeptFile, statement, list(quote_ids), list(hashes))


async def files_of_bordereaux(tx: Reader) -> list[KeptFile]:
    statement = """
    select 'document' as kind, null::uuid as quote_id, sha256,
           'bordereau ' || f.bordereau_id || ' of ' || to_char(month, 'YYYY-MM') || ', ' || format as name
    from bordereau_files f join bordereaux using (bordereau_id) order by f.bordereau_id, format
    """
    return await tx.rows(KeptFile, statement)


async def letters_after(
    tx: Reader, last: uuid.UUID, *, limit: int
) -> tuple[list[KeptFile], uuid.UUID | None]:
    """Return broker-of-record letters, and the id of the last one; None where there are no more."""
    statement = """
    select letter_id, name, sha256 from record_letters where letter_id > $1 order by letter_id limit $2
    """
    rows = await tx.connection.fetch(statement, last, limit)
    letters = [
        KeptFile(kind=KeptFileKind.UPLOAD, quote_id=None, name=row["name"], sha256=row["sha256"])
        for row in rows
    ]
    return letters, rows[-1]["letter_id"] if rows else None


_EVENT_FLAWS: Final = """
with told as (
    select quote_id, entry, event_id, type from journal where quote_id = any($1) and type is not null
), placed as (
    select quote_id, entry, event_id from events where quote_id = any($1)
    union all
    select quote_id, entry, event_id from unplaced_events where quote_id = any($1)
)
select coalesce(t.quote_id, p.quote_id) as quote_id,
       case when p.quote_id is null then t.type || ' of entry ' || t.entry || ' is not in the feed'
            when t.quote_id is null then 'the feed has event ' || p.event_id || ', the journal does not'
            else 'event ' || p.event_id || ' is in the feed twice' end as what
from told t full join (
    select quote_id, entry, event_id, count(*) as times from placed group by quote_id, entry, event_id
) p using (quote_id, entry, event_id)
where t.quote_id is null or p.quote_id is null or p.times > 1
order by 1, 2
"""


async def events_amiss(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[KeptFlaw]:
    """Return where the feed differs from the journals of quotes."""
    return await tx.rows(KeptFlaw, _EVENT_FLAWS, list(quote_ids))


_BINDS: Final = """
select b.quote_id, b.policy_number, b.issued_on is not null as is_issued,
       b.unfinished_since is null as is_finished,
       (select count(*) from journal j where j.quote_id = b.quote_id and j.type = 'policy.bound')
           as bound_told,
       (select count(*) from journal j where j.quote_id = b.quote_id and j.type = 'policy.issued')
           as issued_told,
       array(select packet from packets p where p.quote_id = b.quote_id) as packets,
       array(select distinct type from documents d where d.quote_id = b.quote_id) as documents,
       -- The limit lets each bind look up its mails: those of all binds are gone through otherwise.
       exists (select from mails m where m.quote_id = b.quote_id and m.kind like any($2) limit 1)
       or exists (select from digest_entries e where e.quote_id = b.quote_id and e.kind like any($2))
       or exists (select from mail_choices c join users u using (user_id)
                  where u.partner_id = b.partner_id and c.switch = 'policy' and c.choice = 'off')
           as is_mailed
from binds b where b.quote_id = any($1) and b.policy_number is not null order by b.quote_id
"""
_MAILS_OF_A_BIND: Final = ["policy\\_bound%", "policy\\_issued%"]


async def binds_of(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[KeptBind]:
    return await tx.rows(KeptBind, _BINDS, list(quote_ids), _MAILS_OF_A_BIND)


async def jobs(tx: Reader) -> tuple[int, list[KeptFlaw]]:
    """Return how many jobs are queued, run or have failed, and those about something that there is not."""
    # Once in a while a job is about everything, and then it says nothing.
    statement = """
    select null::uuid as quote_id, j.entrypoint || ' job ' || j.id || ' is about ' || j.about
           || ', which does not exist' as what
    from (select id, entrypoint, convert_from(payload, 'UTF8') as about from pgq.pgqueuer
          where payload is not null) j
    where j.about ~ '^[0-9a-f]{8}-[0-9a-f-]{27}$'
      and not exists (select from quotes where quote_id = j.about::uuid)
      and not exists (select from submissions where submission_id = j.about::uuid)
      and not exists (select from mails where mail_id = j.about::uuid)
      and not exists (select from client_links where link_id = j.about::uuid)
    order by j.id
    """
    count = await tx.value(int, "select count(*) from pgq.pgqueuer")
    return count, await tx.rows(KeptFlaw, statement)
