"""The ledger as operators look through it: the newest transaction first."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.ledger import TransactionKind
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    transaction_id: int
    quote_id: uuid.UUID
    policy_number: str
    number: int
    kind: TransactionKind
    booked_on: date
    effective: date
    product: InsuranceProduct
    state: str
    premium: int
    charges: Decimal
    charge_lines: str
    reverses: int | None
    journal_entry: int
    agreement: str | None
    section: str | None
    commission: Decimal | None
    partner_key: str
    partner_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTotals:
    count: int
    premium: int
    charges: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFilter:
    """Which transactions: without any of it, all; `until` is the first day that is not among them."""

    since: date | None = None
    until: date | None = None
    kind: TransactionKind | None = None
    product: InsuranceProduct | None = None
    state: str = ""
    partner_id: int | None = None
    policy: str = ""
    agreement: str | None = None
    """The binder on which they are written; empty for those on none."""


_ROWS: Final = """
select t.transaction_id, t.quote_id, b.policy_number, t.number, t.kind, t.booked_on, t.effective, t.product,
       t.state, t.premium, t.charges, t.charge_lines, t.reverses, t.journal_entry, a.agreement,
       s.name as section, t.commission, p.partner_key, p.name as partner_name
from premium_transactions t join binds b using (quote_id) join partners p on p.partner_id = t.partner_id
left join binder_sections s using (section_id) left join binders a using (binder_id)
"""


async def newest(
    tx: Reader, asked: LedgerFilter, *, limit: int, cursor: Cursor | None = None
) -> ListPage[LedgerRow]:
    values: list[object] = []
    conditions = _conditions(asked, _placing(values))
    is_backward = cursor is not None and cursor.backward
    if cursor is not None:
        values.append(cursor.key)
        beyond = ">" if is_backward else "<"
        conditions.append(
            f"(t.booked_on, t.transaction_id) {beyond} (select booked_on, transaction_id "
            f"from premium_transactions where transaction_id = ${len(values)})"
        )
    values.append(limit + 1)
    order = "asc" if is_backward else "desc"
    found = await tx.rows(
        LedgerRow,
        f"{_ROWS} where {' and '.join(conditions)} "
        f"order by t.booked_on {order}, t.transaction_id {order} limit ${len(values)}",
        *values,
    )
    return page_of(found, cursor=cursor, limit=limit, key=attrgetter("transaction_id"))


async def totals(tx: Reader, asked: LedgerFilter) -> LedgerTotals:
    values: list[object] = []
    conditions = _conditions(asked, _placing(values))
    found = await tx.row(
        LedgerTotals,
        "select count(*) as count, coalesce(sum(t.premium), 0)::bigint as premium, "
        "coalesce(sum(t.charges), 0) as charges "
        f"from premium_transactions t where {' and '.join(conditions)}",
        *values,
    )
    assert found is not None, "a sum always has a row"
    return found


def _placing(values: list[object]) -> Callable[[object], str]:
    def place(value: object) -> str:
        values.append(value)
        return f"${len(values)}"

    return place


def _conditions(asked: LedgerFilter, place: Callable[[object], str]) -> list[str]:
    # Only what is asked for is in the statement, so that a month is read from its index.
    conditions = ["true"]
    if asked.since is not None:
        conditions.append(f"t.booked_on >= {place(asked.since)}")
    if asked.until is not None:
        conditions.append(f"t.booked_on < {place(asked.until)}")
    for column, value in (
        ("kind", asked.kind),
        ("product", asked.product),
        ("state", asked.state or None),
        ("partner_id", asked.partner_id),
    ):
        if value is not None:
            conditions.append(f"t.{column} = {place(value)}")
    if asked.agreement == "":
        conditions.append("t.section_id is null")
    elif asked.agreement is not None:
        conditions.append(
            "t.section_id in (select section_id from binder_sections join binders using (binder_id) "
            f"where agreement = {place(asked.agreement)})"
        )
    if asked.policy:
        conditions.append(
            f"t.quote_id in (select quote_id from binds where policy_number = {place(asked.policy)})"
        )
    return conditions
