"""Policies with their ledger, journal and papers, read batch by batch to be checked against each other."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

import asyncpg
import msgspec

from bindery.base.ahead import one_ahead
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.bordereaux.bordereau import Month
from bindery.domain.policy.book_check import (
    KIND_OF,
    KeptCharge,
    KeptEndorsement,
    KeptNotice,
    KeptPolicy,
    KeptStep,
    KeptTransaction,
    Priced,
    total_of,
)
from bindery.storage.database import Reader

AT_ONCE: Final = 2_000
# Assessments and frozen facts are kilobytes of JSON of which a hundred bytes matter here. Quotes inside a
# text are escaped, so that these marks can be nothing but the field. The rows of all policies of a batch are
# looked up together. That `q.quote_id` is after the last one follows from the join, but PostgreSQL does not
# see it and would read all quotes from the first one again for each batch.
_POLICIES: Final = """
with batch as (
    select b.quote_id, b.policy_number, q.status, q.premium, q.assessment
    from binds b join quotes q on q.quote_id = b.quote_id and q.quote_id > $1
    where b.policy_number is not null and b.quote_id > $1
      and ($4::date is null or exists (
          select from premium_transactions t
          where t.quote_id = b.quote_id and t.booked_on >= $4 and t.booked_on < $5))
    order by b.quote_id limit $2
), booked as (
    select quote_id, json_agg(json_build_array(
        number, kind, journal_entry, booked_on, effective, premium, charges, charge_lines::json, reverses)
        order by number)::text as transactions
    from premium_transactions where quote_id = any(array(select quote_id from batch)) group by quote_id
), told as (
    select quote_id, json_agg(json_build_array(entry, trigger, data::json) order by entry)::text as steps
    from journal where quote_id = any(array(select quote_id from batch)) and trigger = any($3)
    group by quote_id
), noticed as (
    select quote_id,
           json_agg(event::json order by version) filter (where type = 'endorsement')::text as endorsements,
           json_agg(event::json order by version) filter (where type <> 'endorsement')::text as notices
    from notices
    where quote_id = any(array(select quote_id from batch)) and type in ('cancellation_notice', 'endorsement')
    group by quote_id
)
select b.quote_id, b.policy_number, b.status, b.premium,
       split_part(split_part(b.assessment, '"surcharges":[', 2), ']', 1) as charged,
       (select nullif(split_part(split_part(p.facts, ',"total":', 1), '"offer":{', 2), '')
        from (select facts from packets
              where quote_id = b.quote_id and packet in ('binder', 'policy') and facts is not null
              order by packet desc limit 1) p) as offered,
       transactions, steps, notices, endorsements
from batch b left join booked using (quote_id) left join told using (quote_id)
left join noticed using (quote_id)
order by b.quote_id
"""


class _Offer(msgspec.Struct):
    premium: int
    surcharges: tuple[KeptCharge, ...]


_STATUSES: Final = {str(status): status for status in QuoteStatus}
_read_charges = msgspec.json.Decoder(tuple[KeptCharge, ...]).decode
_read_offer = msgspec.json.Decoder(_Offer).decode
_read_transactions = msgspec.json.Decoder(tuple[KeptTransaction, ...]).decode
_read_steps = msgspec.json.Decoder(tuple[KeptStep, ...]).decode
_read_endorsements = msgspec.json.Decoder(tuple[KeptEndorsement, ...]).decode
_read_notices = msgspec.json.Decoder(tuple[KeptNotice, ...]).decode


async def policies(tx: Reader, month: Month | None = None) -> AsyncGenerator[list[KeptPolicy]]:
    """Return all policies batch by batch; of a month those with something booked in it, with all they have.

    The database looks the next ones up while these are read and used.
    """
    since, until = (None, None) if month is None else (month.since, month.until)

    async def batches() -> AsyncGenerator[list[asyncpg.Record]]:
        last = uuid.UUID(int=0)
        while rows := await tx.connection.fetch(_POLICIES, last, AT_ONCE, list(KIND_OF), since, until):
            yield rows
            last = rows[-1]["quote_id"]

    async with aclosing(one_ahead(batches())) as parts:
        async for rows in parts:
            # In a thread, so that the next rows are taken from the database as they come.
            yield await asyncio.to_thread(_read, rows)


def _read(rows: Sequence[asyncpg.Record]) -> list[KeptPolicy]:
    return [_policy(row) for row in rows]


def _policy(row: asyncpg.Record) -> KeptPolicy:
    offer = None if row["offered"] is None else _read_offer(f"{{{row['offered']}}}")
    return KeptPolicy(
        quote_id=row["quote_id"],
        policy_number=row["policy_number"],
        status=_STATUSES[row["status"]],
        quoted=Priced(
            premium=row["premium"] or 0,
            charges=total_of(_read_charges(f"[{row['charged'] or ''}]")),
        ),
        printed=None if offer is None else Priced(premium=offer.premium, charges=total_of(offer.surcharges)),
        transactions=_read_transactions(row["transactions"] or "[]"),
        steps=_read_steps(row["steps"] or "[]"),
        notices=_read_notices(row["notices"] or "[]"),
        endorsements=_read_endorsements(row["endorsements"] or "[]"),
    )


async def count_policies(tx: Reader, month: Month | None = None) -> int:
    if month is None:
        return await tx.value(int, "select count(*) from binds where policy_number is not null")
    statement = """
    select count(distinct quote_id) from premium_transactions where booked_on >= $1 and booked_on < $2
    """
    return await tx.value(int, statement, month.since, month.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBinder:
    agreement: str
    booked: int
    added_up: int


async def binders(tx: Reader) -> list[KeptBinder]:
    """Return the premium booked on each binder, as it is counted and as its transactions add up."""
    statement = """
    select b.agreement, b.premium_booked as booked, coalesce(sum(t.premium), 0)::bigint as added_up
    from binders b left join binder_sections s using (binder_id)
    left join premium_transactions t using (section_id)
    group by b.binder_id order by b.agreement
    """
    return await tx.rows(KeptBinder, statement)


BOOKED: Final = """
select state, date_trunc('month', booked_on)::date as month, kind = 'original' as is_new, '' as title,
       count(*) as transactions, sum(premium) as amount
from premium_transactions group by 1, 2, 3
union all
select state, date_trunc('month', booked_on)::date, kind = 'original', line ->> 'title', 0,
       sum((line ->> 'price')::numeric)
from premium_transactions cross join json_array_elements(charge_lines::json) line group by 1, 2, 3, 4
"""
"""What the ledger adds up to, which is kept for the filings as it is booked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSum:
    state: str
    month: date
    title: str
    kept: Decimal
    added_up: Decimal
    is_right: bool


async def sums(tx: Reader) -> list[KeptSum]:
    """Return the sums of the filings, as they are kept and as the transactions add up."""
    statement = f"""
    with booked as ({BOOKED}), kept as (
        select state, month, is_new, title, sum(transactions) as transactions, sum(amount) as amount
        from booked_sums group by 1, 2, 3, 4)
    select state, month, title, coalesce(k.amount, 0) as kept, coalesce(b.amount, 0) as added_up,
           coalesce((k.transactions, k.amount) = (b.transactions, b.amount), false) as is_right
    from kept k full join booked b using (state, month, is_new, title) order by state, month, is_new, title
    """
    return await tx.rows(KeptSum, statement)


async def without_policy(tx: Reader) -> list[uuid.UUID]:
    """Return the quotes that have transactions and were never bound."""
    statement = """
    select distinct t.quote_id from premium_transactions t
    left join binds b on b.quote_id = t.quote_id and b.policy_number is not null
    where b.quote_id is null order by 1
    """
    return await tx.column(uuid.UUID, statement)
