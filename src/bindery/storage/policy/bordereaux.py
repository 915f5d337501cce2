"""Bordereaux: the transactions that belong to one, and those that were frozen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import asyncpg
import msgspec

from bindery.base.errors import InvalidRequest
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.bordereaux.bordereau import BordereauFormat, Month
from bindery.domain.bordereaux.lines import LineAddress, Lines, LineTax, by_place
from bindery.domain.bordereaux.template import BordereauKind
from bindery.domain.policy.ledger import TransactionKind
from bindery.storage.database import Reader, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The bordereaux of a binder that follow each other: each transaction is in one of them."""

    binder_id: int
    kind: BordereauKind
    template: str


# A month's own transactions, and what was booked in a month before after that one was frozen.
_DUE: Final = """
select t.transaction_id
from premium_transactions t
where t.section_id in (select section_id from binder_sections where binder_id = $1)
  and t.booked_on < $5
  and (t.booked_on >= $4 or exists (
      select from bordereaux f where f.binder_id = $1 and f.kind = $2 and f.template = $3
      and f.month = date_trunc('month', t.booked_on)::date))
  and not exists (
      select from bordereau_lines l
      where l.transaction_id = t.transaction_id and l.kind = $2 and l.template = $3)
order by t.booked_on, t.transaction_id
"""


async def due(tx: Reader, series: Series, month: Month) -> list[int]:
    """Return the transactions of a month that are in no bordereau yet, in their order."""
    values = (series.binder_id, series.kind, series.template, month.since, month.until)
    return await tx.column(int, _DUE, *values)


async def frozen_lines(tx: Reader, bordereau_id: int) -> list[int]:
    statement = """
    select t.transaction_id from bordereau_lines l join premium_transactions t using (transaction_id)
    where l.bordereau_id = $1 order by t.booked_on, t.transaction_id
    """
    return await tx.column(int, statement, bordereau_id)


# In the order of a line's fields. Submissions are kilobytes of JSON, which msgspec reads in a tenth of the
# time that the database takes.
_LINES: Final = """
select t.transaction_id, t.quote_id, t.number, t.kind, t.booked_on, t.effective, t.premium, t.charges,
       t.charge_lines, t.commission_rate, t.commission,
       (select sum(e.premium)::bigint from premium_transactions e
        where e.quote_id = t.quote_id and e.number <= t.number) as gross_premium,
       t.product, t.state, s.name as section, s.risk_code, s.risk_class, b.policy_number,
       b.effective as inception, b.expiration,
       case when b.issued_on < $2 then b.issued_on else b.bound_on end as bound_on,
       case t.kind when 'lapse' then 'Lapsed' when 'cancellation' then (
           select j.data::json -> 'cancellation' ->> 'reason' from journal j
           where j.quote_id = t.quote_id and j.entry = t.journal_entry) end as cancellation_reason,
       m.renews is not null as is_renewal, q.aggregate_limit, q.aggregate_retention, q.per_claim_limit,
       q.per_claim_retention, m.name as insured, m.revenue, m.sector,
       case when $3 then m.facts end as employees, m.body as address, k.email as broker_email,
       coalesce(k.firm, p.name) as broker
from unnest($1::bigint[]) with ordinality as a (transaction_id, place)
join premium_transactions t using (transaction_id) join binds b using (quote_id)
join quotes q using (quote_id) join submissions m using (submission_id) join brokers k using (broker_id)
join partners p on p.partner_id = t.partner_id left join binder_sections s using (section_id)
order by a.place
"""


class _Client(msgspec.Struct):
    address: LineAddress | None = None


class _Body(msgspec.Struct):
    client: _Client


class _Answers(msgspec.Struct):
    employees: object = msgspec.field(name="2314", default=None)


class _Facts(msgspec.Struct):
    answers: _Answers


_KINDS: Final = {str(kind): kind for kind in TransactionKind}
_PRODUCTS: Final = {str(product): product for product in InsuranceProduct}
_read_charges = msgspec.json.Decoder(list[list[LineTax]]).decode
_read_body = msgspec.json.Decoder(_Body).decode
_read_facts = msgspec.json.Decoder(_Facts).decode


async def lines(
    tx: Reader, transaction_ids: Sequence[int], *, until: date, with_employees: bool = False
) -> Lines:
    """Return what is reported of transactions; what was issued from `until` on was not issued yet.

    How many the insured employs is in the largest of the texts, and few bordereaux say it.
    """
    rows = await tx.connection.fetch(_LINES, list(transaction_ids), until, with_employees)
    columns = zip(Lines._fields, zip(*rows, strict=True), strict=True) if rows else ()
    return Lines(**dict.fromkeys(Lines._fields, ()) | {name: _read(name, column) for name, column in columns})


def _read(name: str, column: Sequence[Any]) -> Sequence[Any]:
    match name:
        case "kind":
            return [_KINDS[kind] for kind in column]
        case "product":
            return [_PRODUCTS[product] for product in column]
        case "taxes":
            return by_place(_read_charges(f"[{','.join(column)}]"))
        case "employees":
            return [None if facts is None else _employees(facts) for facts in column]
        case "address":
            return [_read_body(body).client.address or LineAddress() for body in column]
        case _:
            return column


def _employees(facts: str) -> int | None:
    told = str(_read_facts(facts).answers.employees)
    return int(told) if told.isdecimal() else None


async def without_carrier(tx: Reader, month: Month) -> list[int]:
    """Return the transactions of a month that are written on no binder."""
    statement = """
    select transaction_id from premium_transactions
    where section_id is null and booked_on >= $1 and booked_on < $2 order by booked_on, transaction_id
    """
    return await tx.column(int, statement, month.since, month.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBordereau:
    bordereau_id: int
    binder_id: int
    agreement: str
    due_day: int
    month: date
    kind: BordereauKind
    template: str
    template_text: str
    frame: str
    lines: int
    premium: int
    charges: Decimal
    commission: Decimal
    exceptions: int
    because: str
    made_at: datetime
    made_on: date
    made_by: str
    sent_at: datetime | None
    sent_on: date | None
    sent_by: str | None


_KEPT: Final = """
select f.*, b.agreement, b.bordereau_due_day as due_day from bordereaux f join binders b using (binder_id)
"""


async def find(tx: Reader, series: Series, month: Month) -> KeptBordereau | None:
    statement = f"{_KEPT} where f.binder_id = $1 and f.kind = $2 and f.template = $3 and f.month = $4"
    values = (series.binder_id, series.kind, series.template, month.since)
    return await tx.row(KeptBordereau, statement, *values)


async def find_by_id(tx: Reader, bordereau_id: int) -> KeptBordereau | None:
    return await tx.row(KeptBordereau, f"{_KEPT} where f.bordereau_id = $1", bordereau_id)


async def find_by_file(tx: Reader, sha256: str) -> KeptBordereau | None:
    of_file = "select bordereau_id from bordereau_files where sha256 = $1"
    return await tx.row(KeptBordereau, f"{_KEPT} where f.bordereau_id in ({of_file}) limit 1", sha256)


async def list_kept(tx: Reader, *, since: date) -> list[KeptBordereau]:
    return await tx.rows(
        KeptBordereau, f"{_KEPT} where f.month >= $1 order by f.month desc, f.kind, f.template", since
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFileOf:
    format: BordereauFormat
    sha256: str
    size: int


async def files_of(tx: Reader, bordereau_id: int) -> list[KeptFileOf]:
    statement = "select format, sha256, size from bordereau_files where bordereau_id = $1 order by format"
    return await tx.rows(KeptFileOf, statement, bordereau_id)


async def freeze(
    tx: Tx,
    series: Series,
    row: dict[str, object],
    *,
    files: Sequence[KeptFileOf],
    transaction_ids: Sequence[int],
) -> int | None:
    """Keep a bordereau and what is in it; None where that month was frozen before."""
    await tx.connection.execute("select pg_advisory_xact_lock($1, $2)", _LOCK, series.binder_id)
    whole = {"binder_id": series.binder_id, "kind": series.kind, "template": series.template, **row}
    otherwise = "on conflict (binder_id, month, kind, template) do nothing"
    if not await tx.insert("bordereaux", whole, otherwise=otherwise):
        return None
    bordereau_id = await tx.value(
        int,
        "select bordereau_id from bordereaux "
        "where binder_id = $1 and kind = $2 and template = $3 and month = $4",
        series.binder_id,
        series.kind,
        series.template,
        row["month"],
    )
    for file in files:
        await tx.insert(
            "bordereau_files",
            {"bordereau_id": bordereau_id, "format": file.format, "sha256": file.sha256, "size": file.size},
        )
    try:
        await tx.execute(
            "insert into bordereau_lines (bordereau_id, transaction_id, kind, template) "
            "select $1, unnest($2::bigint[]), $3, $4",
            bordereau_id,
            list(transaction_ids),
            series.kind,
            series.template,
        )
    except asyncpg.UniqueViolationError:
        raise InvalidRequest(
            "Another month of this binder was frozen at the same moment, with some of the same transactions. "
            "Nothing was kept; make this one again."
        ) from None
    return bordereau_id


_LOCK: Final = 0x626F7264
"""Bordereaux of one binder are frozen one after the other."""


async def mark_sent(tx: Tx, bordereau_id: int, *, by: str) -> bool:
    """Note that a bordereau was sent, unless that is noted; whether it was noted now."""
    return bool(
        await tx.execute(
            "update bordereaux set sent_at = $2, sent_on = $3, sent_by = $4 "
            "where bordereau_id = $1 and sent_at is null",
            bordereau_id,
            tx.real_now,
            tx.today,
            by,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedMonth:
    binder_id: int
    month: date
    transactions: int
    premium: int


async def booked_months(tx: Reader, *, since: date) -> list[BookedMonth]:
    """Return the months in which something was booked on each binder, the newest first."""
    statement = """
    select s.binder_id, date_trunc('month', t.booked_on)::date as month, count(*) as transactions,
           sum(t.premium)::bigint as premium
    from premium_transactions t join binder_sections s using (section_id)
    where t.booked_on >= $1 group by 1, 2 order by 2 desc
    """
    return await tx.rows(BookedMonth, statement, since)
