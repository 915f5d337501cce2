"""What waits for an underwriter: kept in step with the statuses, listed by what is due."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader, Tx
from bindery.storage.desk.desk_filter import ORDERS, DeskFilter, DeskKind, where_wanted
from bindery.storage.list_pages import Cursor, ListPage, page_of
from bindery.storage.records import of_table

MOST_COUNTED: Final = 100
"""Counts stop here: nobody acts otherwise on 4,213 than on «100+»."""


_SETTLE = """
with waiting as (
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit) as aggregate_limit,
           case q.status when 'quote_referred' then 'referral' else 'bind' end as kind
    from quotes q
    where q.submission_id = any($1) and q.status in ('quote_referred', 'quote_bind_requested')
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'paper'
    from quotes q
    where q.submission_id = any($1)
      and q.status in ('published', 'offer_email', 'quote_bind_requested', 'policy_active')
      and exists (select from contingencies c join uploads u using (quote_id, contingency_id)
                  where c.quote_id = q.quote_id and c.status = 'open')
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'cancellation'
    from quotes q join binds b using (quote_id)
    where q.submission_id = any($1) and q.status = 'policy_active' and b.cancellation_open
), items as (
    select w.submission_id, w.kind,
           max(w.aggregate_limit) as aggregate_limit,
           coalesce(max(coalesce(w.premium, (w.assessment::json ->> 'rated_premium')::bigint)), 0)
               as at_stake,
           coalesce(array_agg(distinct r.reason ->> 'code') filter (where r.reason is not null), '{}')
               as reasons,
           coalesce(bool_or(r.reason ->> 'recommendation' = 'decline'), false) as is_decline_advised
    from waiting w
    left join lateral json_array_elements(w.assessment::json -> 'reasons') as r(reason) on w.kind = 'referral'
    group by w.submission_id, w.kind
), closed as (
    update desk_items d set closed_at = $2
    where d.submission_id = any($1) and d.closed_at is null
      and not exists (select from items i where i.submission_id = d.submission_id and i.kind = d.kind)
)
insert into desk_items (submission_id, kind, company_id, partner_id, product, name, aggregate_limit, at_stake,
                        reasons, is_decline_advised, opened_at, due_at)
select i.submission_id, i.kind, s.company_id, s.partner_id, s.product, s.name, i.aggregate_limit, i.at_stake,
       i.reasons, i.is_decline_advised, $2, $3
from items i join submissions s using (submission_id)
order by i.submission_id, i.kind
on conflict (submission_id, kind) where closed_at is null do update set
    aggregate_limit = excluded.aggregate_limit, at_stake = excluded.at_stake, reasons = excluded.reasons,
    is_decline_advised = excluded.is_decline_advised
where (desk_items.aggregate_limit, desk_items.at_stake, desk_items.reasons)
      is distinct from (excluded.aggregate_limit, excluded.at_stake, excluded.reasons)
"""


async def refresh_desk_items(tx: Tx, submission_ids: Collection[uuid.UUID]) -> None:
    """Open and close what the statuses and papers of submissions put on the desk; one statement."""
    await tx.execute(_SETTLE, sorted(submission_ids), tx.now, tx.calendar.answer_by(tx.now))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskItem:
    """One row of the queue."""

    item_id: int
    submission_id: uuid.UUID
    kind: DeskKind
    company_id: int
    product: InsuranceProduct
    name: str
    aggregate_limit: int
    at_stake: int
    reasons: tuple[str, ...]
    is_decline_advised: bool
    opened_at: datetime
    due_at: datetime
    taken_by: int | None
    taker: str | None
    previous: uuid.UUID | None = None
    """The cases next to it in the part of the queue that is being worked through; read for one case only."""
    following: uuid.UUID | None = None


ITEM_COLUMNS: Final = """
    item_id, submission_id, kind, company_id, product, name, aggregate_limit, at_stake, reasons,
    is_decline_advised, opened_at, due_at, taken_by
"""
"""What a row of the queue has of its own; the name of who has taken it comes beside."""
_ITEMS: Final = f"""
select {of_table("d", ITEM_COLUMNS)}, u.name as taker
from desk_items d left join users u on u.user_id = d.taken_by
"""


async def list_items(
    tx: Reader, asked: DeskFilter, *, cursor: Cursor | None = None, limit: int
) -> ListPage[DeskItem]:
    """List what is open, a page at a time."""
    conditions = Conditions()
    order = _where_page(conditions, asked, cursor)
    found = await tx.rows(
        DeskItem,
        f"{_ITEMS} {conditions.clause} order by {order} limit {conditions.value(limit + 1)}",
        *conditions.values,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("item_id"))


async def first_free(tx: Reader, asked: DeskFilter, *, user_id: int) -> uuid.UUID | None:
    """Find the first case of a part of the queue of which nobody has anything; among one's own, the first."""
    conditions = Conditions()
    order = _where_page(conditions, asked, None)
    if asked.taken_by is None:
        conditions.where("d.taken_by is null")
    conditions.where(
        """
        not exists (select from desk_items o where o.submission_id = d.submission_id
                    and o.closed_at is null and o.taken_by <> {})
        """,
        user_id,
    )
    return await tx.find_value(
        uuid.UUID,
        f"select d.submission_id from desk_items d {conditions.clause} order by {order} limit 1",
        *conditions.values,
    )


def _where_page(conditions: Conditions, asked: DeskFilter, cursor: Cursor | None) -> str:
    """Limit rows `d` to a page of a part of the queue, and return its order."""
    where_wanted(conditions, asked)
    way = ORDERS[asked.order]
    order, after_cursor = way.forward, way.follows
    if cursor is not None and cursor.backward:
        order, after_cursor = way.backward, way.precedes
    if cursor is not None:
        conditions.where(
            f"exists (select from desk_items a where a.item_id = {{}} and {after_cursor})", cursor.key
        )
    return order


_COUNTED: Final = {
    "waiting": "true",
    "mine": "taken_by = $1",
    "late": "due_at < $2",
    "binds": "kind = 'bind'",
    "papers": "kind = 'paper'",
}


@dataclass(frozen=True, slots=True)
class DeskCounts:
    """How much waits, up to `MOST_COUNTED` of each."""

    waiting: int
    mine: int
    late: int
    binds: int
    papers: int


async def count(tx: Reader, *, user_id: int) -> DeskCounts:
    """Count what waits, each only as far as anybody needs to know."""
    waiting = (
        "(select count(*) from (select from desk_items where closed_at is null and {} limit {}) t) as {}"
    )
    counts = (waiting.format(which, MOST_COUNTED + 1, name) for name, which in _COUNTED.items())
    (found,) = await tx.rows(DeskCounts, f"select {', '.join(counts)}", user_id, tx.now)
    return found


async def items_of(tx: Reader, submission_id: uuid.UUID) -> list[DeskItem]:
    """List what of a submission waits."""
    which = "where d.submission_id = $1 and d.closed_at is null order by d.item_id"
    return await tx.rows(DeskItem, f"{_ITEMS} {which}", submission_id)


async def due_times(tx: Reader, company_id: int) -> dict[uuid.UUID, tuple[datetime, datetime]]:
    """Return since when submissions of a company wait for a decision, and by when an answer is expected."""
    rows = await tx.connection.fetch(
        """
        select submission_id, min(opened_at), min(due_at) from desk_items
        where submission_id in (select submission_id from submissions where company_id = $1)
          and closed_at is null and kind <> 'paper'
        group by submission_id
        """,
        company_id,
    )
    return {row[0]: (row[1], row[2]) for row in rows}


@dataclass(frozen=True, slots=True)
class TakenCase:
    """A case that somebody wants to change the taker of; `holder` is the colleague who keeps it."""

    submission_id: uuid.UUID
    name: str
    holder: str | None


_TAKE = """
with held as (
    select item_id, submission_id, name, taken_by from desk_items
    where submission_id = any($1) and closed_at is null order by item_id for no key update
), cases as (
    select submission_id, min(name) as name, min(taken_by) filter (where taken_by <> all($3::int[])) as other
    from held group by submission_id
), taken as (
    update desk_items d set taken_by = $2 from held h join cases c using (submission_id)
    where d.item_id = h.item_id and c.other is null
)
select c.submission_id, c.name, u.name as holder
from cases c left join users u on u.user_id = c.other order by c.name, c.submission_id
"""


async def take(
    tx: Tx, submission_ids: Collection[uuid.UUID], *, to: int | None, from_users: Collection[int]
) -> list[TakenCase]:
    """Change who works on cases that nobody has or one of these users; None puts them back.

    Rows are held in one order, so that two who act on the same cases do not wait for each other, and each is
    compared as it is then.
    """
    return await tx.rows(TakenCase, _TAKE, list(submission_ids), to, list(from_users))


@dataclass(frozen=True, slots=True)
class DeskNote:
    """What an underwriter wrote down for the others."""

    author: str
    at: datetime
    text: str


async def add_note(tx: Tx, submission_id: uuid.UUID, *, user_id: int, text: str) -> None:
    """Write a note down."""
    note = {"submission_id": submission_id, "user_id": user_id, "at": tx.now, "text": text}
    await tx.insert("desk_notes", note)
