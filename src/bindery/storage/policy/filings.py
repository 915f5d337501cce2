"""The ledger by state, month and charge, and which filings of it were made."""

from collections import defaultdict
from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from typing import Final

import asyncpg
import msgspec

from bindery.domain.filings.obligations import Mark, MonthSum
from bindery.domain.filings.report import ReportedTransaction
from bindery.domain.rating.surcharges import Surcharge
from bindery.storage.database import Reader, Tx, values_of

AT_ONCE: Final = 5_000
_MONTHS: Final = """
select state, date_trunc('month', booked_on)::date as month, kind = 'original' as is_new, count(*) as count,
       sum(premium)::bigint as premium
from premium_transactions group by 1, 2, 3 order by 1, 2, 3
"""
_CHARGES: Final = """
select t.state, date_trunc('month', t.booked_on)::date as month, t.kind = 'original' as is_new,
       line ->> 'title' as title, sum((line ->> 'price')::numeric) as amount
from premium_transactions t cross join json_array_elements(t.charge_lines::json) line
group by 1, 2, 3, 4
"""


async def month_sums(tx: Reader) -> list[MonthSum]:
    """Return what was booked, by state, month and whether it is a bind, with each charge by its title."""
    charges: dict[tuple[str, date, bool], dict[str, Decimal]] = defaultdict(dict)
    for row in await tx.connection.fetch(_CHARGES):
        charges[row["state"], row["month"], row["is_new"]][row["title"]] = row["amount"]
    return [
        MonthSum(**row, charges=charges[row["state"], row["month"], row["is_new"]])
        for row in await tx.connection.fetch(_MONTHS)
    ]


_TRANSACTIONS: Final = """
select t.state, t.booked_on, b.policy_number, t.number, t.kind, t.effective, b.expiration, t.product,
       m.name as insured, t.section_id, t.premium, t.charge_lines
from premium_transactions t join binds b using (quote_id) join quotes q using (quote_id)
join submissions m using (submission_id)
where t.booked_on between $1 and $2 and ($3 = '' or t.state = $3)
order by t.state, t.booked_on, t.transaction_id
"""
_INSURERS: Final = """
select s.section_id, string_agg(c.name || ' (' || c.number || ')', '; ' order by bc.place) as insurers
from binder_sections s join binder_carriers bc using (binder_id) join carriers c using (carrier_id)
group by 1
"""
_read_charges = msgspec.json.Decoder(tuple[Surcharge, ...]).decode


async def transactions(
    tx: Reader, first: date, last: date, *, state: str = ""
) -> AsyncIterator[ReportedTransaction]:
    """Yield what was booked from one day to another, of a state or of all one after the other.

    It is read in one transaction, some thousands of rows at a time.
    """
    insurers: dict[int, str] = {row[0]: row[1] for row in await tx.connection.fetch(_INSURERS)}
    async for row in tx.connection.cursor(_TRANSACTIONS, first, last, state, prefetch=AT_ONCE):
        yield _transaction(row, insurers)


def _transaction(row: asyncpg.Record, insurers: dict[int, str]) -> ReportedTransaction:
    return ReportedTransaction(
        state=row["state"],
        booked_on=row["booked_on"],
        policy_number=row["policy_number"],
        number=row["number"],
        kind=row["kind"],
        effective=row["effective"],
        expiration=row["expiration"],
        product=row["product"],
        insured=row["insured"],
        insurers=insurers.get(row["section_id"], ""),
        premium=row["premium"],
        charges=_read_charges(row["charge_lines"]),
    )


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
