"""The underwriters' queue: kept in step with the statuses, listed by due date."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.lifecycle import UNDECIDING
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader, Tx, of_table
from bindery.storage.desk.desk_filter import ORDERS, DeskFilter, DeskKind, where_wanted
from bindery.storage.list_pages import Cursor, ListPage, page_of

MOST_COUNTED: Final = 100
"""Counts stop here: nobody acts otherwise on 4,213 than on «100+»."""


_REFRESH = """
with waiting as (
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit) as aggregate_limit,
           case q.status when 'quote_referred' then 'referral' else 'bind' end as kind,
           null::date as last_day,
           case q.status when 'quote_bind_requested' then array_remove(array[
               (select 'pre_bind_open' from contingencies c
                where c.quote_id = q.quote_id and c.status = 'open' and c.type = 'pre_bind' limit 1),
               'begins:' || b.effective, 'prior_acts:' || b.retroactive], null) end as grounds
    from quotes q left join binds b using (quote_id)
    where q.submission_id = any($1) and q.status in ('quote_referred', 'quote_bind_requested')
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'paper',
           case when b.in_force and b.issued_on is null then b.fulfil_by end, f.grounds
    from quotes q left join binds b using (quote_id) cross join lateral (
        select array_agg('file:' || c.kind) as grounds
        from contingencies c join uploads u using (quote_id, contingency_id)
        where c.quote_id = q.quote_id and c.status = 'open'
          and u.finding::json ->> 'signed_electronically' is distinct from 'true'
          and (c.asked_again_at is null or c.asked_again_at < u.uploaded_at)) f
    where q.submission_id = any($1)
      and q.status in ('published', 'offer_email', 'quote_bind_requested', 'policy_active')
      and f.grounds is not null
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'cancellation', null,
           array['cancel_from:' || (b.cancellation_request::json ->> 'effective')]
    from quotes q join binds b using (quote_id)
    where q.submission_id = any($1) and q.status = 'policy_active' and b.cancellation_open
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'change', null,
           c.reasons || ('change_from:' || c.effective)
    from quotes q join policy_changes c using (quote_id)
    where q.submission_id = any($1) and q.status = 'policy_active' and c.status = 'referred'
    union all
    select q.quote_id, q.submission_id, q.premium, q.assessment,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit), 'approval', null, null
    from asked_approvals a join quotes q on q.quote_id = any(a.quote_ids)
    where a.submission_id = any($1) and a.answer is null
      -- It waits as long as nothing else has happened to one of its options.
      and not exists (select from unnest(a.quote_ids, a.seen_steps) as s(quote_id, step)
                      join journal j on j.quote_id = s.quote_id and j.entry > s.step
                      where j.trigger <> all($5))
), items as (
    select w.submission_id, w.kind,
           -- What a binder waits for is due on its last day at the latest, which ends at midnight.
           least($3, (min(w.last_day) + 1)::timestamp at time zone $4) as due_at,
           max(w.aggregate_limit) as aggregate_limit,
           coalesce(max(coalesce(w.premium, (w.assessment::json ->> 'rated_premium')::bigint)), 0)
               as at_stake,
           coalesce(array_agg(distinct r.code) filter (where r.code is not null), '{}') as reasons,
           coalesce(bool_or(r.recommendation = 'decline'), false) as is_decline_advised
    from waiting w left join lateral (
        select reason ->> 'code' as code, reason ->> 'recommendation' as recommendation
        from json_array_elements(case w.kind when 'referral' then w.assessment::json -> 'reasons' end) reason
        union all
        select ground, null from unnest(w.grounds) ground
    ) r on true
    group by w.submission_id, w.kind
), closed as (
    update desk_items d set closed_at = $2
    where d.submission_id = any($1) and d.closed_at is null
      and not exists (select from items i where i.submission_id = d.submission_id and i.kind = d.kind)
), overtaken as (
    -- What the broker was asked about has left the desk: nobody waits for the answer any more. A file may
    -- have brought some of it back before the answer.
    update broker_questions b set overtaken_at = $2
    where b.submission_id = any($1)
      and b.answered_at is null and b.withdrawn_at is null and b.overtaken_at is null
      and not exists (select from desk_items d join items i using (submission_id, kind)
                      where d.submission_id = b.submission_id and d.closed_at is null
                        and d.opened_at <= b.asked_at)
)
insert into desk_items (submission_id, kind, company_id, partner_id, product, name, aggregate_limit, at_stake,
                        reasons, is_decline_advised, opened_at, due_at)
select i.submission_id, i.kind, s.company_id, s.partner_id, s.product, s.name, i.aggregate_limit, i.at_stake,
       i.reasons, i.is_decline_advised, $2, i.due_at
from items i join submissions s using (submission_id)
order by i.submission_id, i.kind
on conflict (submission_id, kind) where closed_at is null do update set
    aggregate_limit = excluded.aggregate_limit, at_stake = excluded.at_stake, reasons = excluded.reasons,
    is_decline_advised = excluded.is_decline_advised, due_at = least(desk_items.due_at, excluded.due_at)
where (desk_items.aggregate_limit, desk_items.at_stake, desk_items.reasons)
      is distinct from (excluded.aggregate_limit, excluded.at_stake, excluded.reasons)
   or excluded.due_at < desk_items.due_at
"""


async def refresh_desk_items(tx: Tx, submission_ids: Collection[uuid.UUID]) -> None:
    """Open and close the desk items that the statuses and uploads of submissions call for; one statement."""
    calendar = tx.calendar
    await tx.execute(
        _REFRESH,
        sorted(submission_ids),
        tx.now,
        calendar.answer_by(tx.now),
        str(calendar.zone),
        sorted(UNDECIDING),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskItem:
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
    asked_at: datetime | None
    """Since when it waits for its broker."""
    taker: str | None
    asker: str | None = None
    """Who waits for the approval of a colleague."""
    previous: uuid.UUID | None = None
    """The cases next to it in the part of the queue that is being worked through; read for one case only."""
    following: uuid.UUID | None = None


ITEM_COLUMNS: Final = """
    item_id, submission_id, kind, company_id, product, name, aggregate_limit, at_stake, reasons,
    is_decline_advised, opened_at, due_at, taken_by, asked_at
"""
_ASKER: Final = """
    case when {0}.kind = 'approval' then (
        select b.name from asked_approvals p join users b on b.user_id = p.asked_by
        where p.submission_id = {0}.submission_id and p.answer is null) end as asker
"""
_ITEMS: Final = f"""
select {of_table("d", ITEM_COLUMNS)}, u.name as taker, {_ASKER.format("d")}
from desk_items d left join users u on u.user_id = d.taken_by
"""


async def list_items(
    tx: Reader, asked: DeskFilter, *, cursor: Cursor | None = None, limit: int
) -> ListPage[DeskItem]:
    conditions = Conditions()
    order = _where_page(conditions, asked, cursor)
    found = await tx.rows(
        DeskItem,
        f"{_ITEMS} {conditions.clause} order by {order} limit {conditions.value(limit + 1)}",
        *conditions.values,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("item_id"))


async def first_free(tx: Reader, asked: DeskFilter, *, user_id: int) -> uuid.UUID | None:
    conditions = Conditions()
    order = _where_page(conditions, asked, None)
    if asked.taken_by is None:
        conditions.where("d.taken_by is null")
    statement = """
    not exists (select from desk_items o where o.submission_id = d.submission_id
                and o.closed_at is null and o.taken_by <> {})
    """
    conditions.where(statement, user_id)
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
        statement = f"exists (select from desk_items a where a.item_id = {{}} and {after_cursor})"
        conditions.where(statement, cursor.key)
    return order


_COUNTED: Final = {
    "waiting": "asked_at is null",
    "mine": "asked_at is null and taken_by = $1",
    "late": "asked_at is null and due_at < $2",
    "binds": "asked_at is null and kind = 'bind'",
    "papers": "asked_at is null and kind = 'paper'",
    "asked": "asked_at is not null",
}


@dataclass(frozen=True, slots=True)
class DeskCounts:
    waiting: int
    mine: int
    late: int
    binds: int
    papers: int
    asked: int = 0
    letters: int = 0


async def count(tx: Reader, *, user_id: int) -> DeskCounts:
    """Count the open items, each up to one more than `MOST_COUNTED`."""
    waiting = (
        "(select count(*) from (select from desk_items where closed_at is null and {} limit {}) t) as {}"
    )
    counts = (waiting.format(which, MOST_COUNTED + 1, name) for name, which in _COUNTED.items())
    letters = f"""(select count(*) from (
        select from record_letters where decision is null limit {MOST_COUNTED + 1}) t) as letters"""
    (found,) = await tx.rows(DeskCounts, f"select {', '.join(counts)}, {letters}", user_id, tx.now)
    return found


async def items_of(tx: Reader, submission_id: uuid.UUID) -> list[DeskItem]:
    which = "where d.submission_id = $1 and d.closed_at is null order by d.item_id"
    return await tx.rows(DeskItem, f"{_ITEMS} {which}", submission_id)


async def due_times(tx: Reader, company_id: int) -> dict[uuid.UUID, tuple[datetime, datetime]]:
    statement = """
    select submission_id, min(opened_at), min(due_at) from desk_items
    where submission_id in (select submission_id from submissions where company_id = $1)
      and closed_at is null and asked_at is null and kind <> 'paper'
    group by submission_id
    """
    rows = await tx.connection.fetch(statement, company_id)
    return {row[0]: (row[1], row[2]) for row in rows}


async def stop_clock(tx: Tx, submission_id: uuid.UUID) -> bool:
    """Have a case wait for its broker; False where nothing of it is at the desk."""
    statement = """
    update desk_items set asked_at = coalesce(asked_at, $2) where submission_id = $1 and closed_at is null
    """
    return await tx.execute(statement, submission_id, tx.now) > 0


async def start_clock(tx: Tx, submission_id: uuid.UUID, kind: DeskKind | None = None) -> bool:
    """Bring a case back from its broker, due as much later as it waited; False where it did not wait.

    Of a case that was late already when the broker was asked, nothing is left. Without a `kind`, all of it
    comes back.
    """
    statement = """
    select item_id, asked_at, due_at from desk_items
    where submission_id = $1 and closed_at is null and asked_at is not null
      and ($2::text is null or kind = $2)
    order by item_id for no key update
    """
    rows = await tx.connection.fetch(statement, submission_id, kind)
    left = [tx.calendar.working_time(row["asked_at"], row["due_at"]) for row in rows]
    statement = """
    update desk_items d set asked_at = null, due_at = w.due_at
    from unnest($1::bigint[], $2::timestamptz[]) as w(item_id, due_at) where d.item_id = w.item_id
    """
    due = [tx.calendar.after(tx.now, time) for time in left]
    await tx.execute(statement, [row["item_id"] for row in rows], due)
    if rows:
        # No later than the last day of a binder.
        await refresh_desk_items(tx, [submission_id])
    return bool(rows)


@dataclass(frozen=True, slots=True)
class TakenCase:
    """A case that somebody wants to change the taker of; `holder` is the colleague who keeps it.

    `before` is who had it, whoever that was.
    """

    submission_id: uuid.UUID
    name: str
    holder: str | None
    before: str | None
    before_id: int | None


_TAKE = """
with held as (
    select item_id, submission_id, name, taken_by from desk_items
    where submission_id = any($1) and closed_at is null order by item_id for no key update
), cases as (
    select submission_id, min(name) as name, min(taken_by) filter (where taken_by <> all($3::int[])) as other,
           min(taken_by) as before_id
    from held group by submission_id
), taken as (
    update desk_items d set taken_by = $2 from held h join cases c using (submission_id)
    where d.item_id = h.item_id and c.other is null
)
select c.submission_id, c.name, u.name as holder, b.name as before, c.before_id
from cases c left join users u on u.user_id = c.other left join users b on b.user_id = c.before_id
order by c.name, c.submission_id
"""


async def take(
    tx: Tx, submission_ids: Collection[uuid.UUID], *, to: int | None, from_users: Collection[int]
) -> list[TakenCase]:
    """Reassign cases that nobody or one of these users has taken; None puts them back.

    Rows are locked in one order, so that two users who act on the same cases do not deadlock, and each is
    compared as it is then.
    """
    return await tx.rows(TakenCase, _TAKE, list(submission_ids), to, list(from_users))


async def items_with_neighbors(tx: Reader, submission_id: uuid.UUID, asked: DeskFilter) -> list[DeskItem]:
    """List the open items of a submission, the wanted kind first, each with the cases before and after it.

    The case itself need not be in that part of the queue: a case that was just taken leaves the free ones.
    """
    conditions = Conditions()
    own, way = conditions.value(submission_id), ORDERS[asked.order]
    where_wanted(conditions, asked)
    statement = f"""
    select {of_table("a", ITEM_COLUMNS)}, u.name as taker, {_ASKER.format("a")},
           (select d.submission_id from desk_items d
            {conditions.clause} and {way.precedes} and d.submission_id <> a.submission_id
            order by {way.backward} limit 1) as previous,
           (select d.submission_id from desk_items d
            {conditions.clause} and {way.follows} and d.submission_id <> a.submission_id
            order by {way.forward} limit 1) as following
    from desk_items a left join users u on u.user_id = a.taken_by
    where a.submission_id = {own} and a.closed_at is null order by a.item_id
    """
    found = await tx.rows(DeskItem, statement, *conditions.values)
    return sorted(found, key=lambda item: asked.kind not in {None, item.kind})


@dataclass(frozen=True, slots=True)
class LastDecided:
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
