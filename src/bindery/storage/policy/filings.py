"""The ledger by state, month and charge, and which filings of it were made."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Final

import asyncpg
import msgspec

from bindery.base.ahead import one_ahead
from bindery.domain.filings.obligations import Mark, MonthSum
from bindery.domain.filings.report import ReportedCharge, ReportedTransaction
from bindery.storage.database import Reader, Tx, values_of

AT_ONCE: Final = 1_000
_SUMS: Final = """
select state, month, is_new, title, sum(transactions)::integer as transactions, sum(amount) as amount
from booked_sums group by 1, 2, 3, 4 order by 1, 2, 3, 4
"""
# Where others add up the same rows at the same time, the second finds none of them left.
_ADD_UP: Final = """
with taken as (
    delete from booked_sums where (state, month, is_new, title) in (
        select state, month, is_new, title from booked_sums group by 1, 2, 3, 4 having count(*) > 1)
    returning *
)
insert into booked_sums
select state, month, is_new, title, sum(transactions), sum(amount) from taken group by 1, 2, 3, 4
"""


async def month_sums(tx: Reader) -> list[MonthSum]:
    """Return what was booked, by state, month and whether it is a bind, with each charge by its title."""
    rows = await tx.connection.fetch(_SUMS)
    return [
        _month_sum(state, month, is_new, list(group))
        for (state, month, is_new), group in groupby(rows, key=itemgetter("state", "month", "is_new"))
    ]


def _month_sum(state: str, month: date, is_new: bool, rows: Sequence[asyncpg.Record]) -> MonthSum:
    amounts = {row["title"]: row["amount"] for row in rows}
    return MonthSum(
        state=state,
        month=month,
        is_new=is_new,
        count=sum(row["transactions"] for row in rows),
        premium=int(amounts.pop("")),
        charges=amounts,
    )


async def add_up_sums(tx: Tx) -> int:
    """Make one row of each sum again; return how many it made."""
    return await tx.execute(_ADD_UP)


# In the order of what is reported, as texts where the report has it as it is. They are made of the rows in
# their order, and not before them: the first row has to wait for the last one to be sorted.
_TRANSACTIONS: Final = """
select section_id, state, to_char(booked_on, 'YYYY-MM-DD'), policy_number, number, kind,
       to_char(effective, 'YYYY-MM-DD'), to_char(expiration, 'YYYY-MM-DD'), product, name, premium,
       charge_lines
from (
    select t.section_id, t.state, t.booked_on, b.policy_number, t.number, t.kind, t.effective, b.expiration,
           t.product, m.name, t.premium, t.charge_lines
    from premium_transactions t join binds b using (quote_id) join quotes q using (quote_id)
    join submissions m using (submission_id)
    where t.booked_on between $1 and $2 and ($3 = '' or t.state = $3)
    order by t.state, t.booked_on, t.transaction_id offset 0) booked
"""
_INSURERS: Final = """
select s.section_id, string_agg(c.name || ' (' || c.number || ')', '; ' order by bc.place) as insurers
from binder_sections s join binder_carriers bc using (binder_id) join carriers c using (carrier_id)
group by 1
"""
_read_charges = msgspec.json.Decoder(tuple[ReportedCharge, ...]).decode


async def transactions(
    tx: Reader, first: date, last: date, *, state: str = ""
) -> AsyncGenerator[list[ReportedTransaction]]:
    """Return what was booked from one day to another, in parts: of one state, or of each in turn.

    It is read in one transaction; while a part is used the database sends the next.
    """
    insurers: dict[int | None, str] = {row[0]: row[1] for row in await tx.connection.fetch(_INSURERS)}
    cursor = await tx.connection.cursor(_TRANSACTIONS, first, last, state)

    async def batches() -> AsyncGenerator[list[asyncpg.Record]]:
        while rows := await cursor.fetch(AT_ONCE):
            yield rows

    async with aclosing(one_ahead(batches())) as parts:
        async for rows in parts:
            yield [
                ReportedTransaction._make(
                    (*told, insurers.get(section_id, ""), premium, _read_charges(lines))
                )
                for section_id, *told, premium, lines in rows
            ]


async def marks(tx: Reader) -> list[Mark]:
    return await tx.rows(Mark, "select * from filings order by filed_on desc, state, code, period")


async def find_mark(tx: Reader, state: str, code: str, period: str) -> Mark | None:
    statement = "select * from filings where (state, code, period) = ($1, $2, $3)"
    return await tx.row(Mark, statement, state, code, period)


async def add_mark(tx: Tx, mark: Mark) -> bool:
    """Keep that a filing was made; return whether it was not marked before."""
    return bool(await tx.insert("filings", values_of(mark), otherwise="on conflict do nothing"))


async def remove_mark(tx: Tx, mark: Mark) -> bool:
    """Take a mark back; return whether it was still there as it was seen."""
    statement = "delete from filings where (state, code, period) = ($1, $2, $3) and marked_at = $4"
    return bool(await tx.execute(statement, mark.state, mark.code, mark.period, mark.marked_at))
