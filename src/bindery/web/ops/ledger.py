"""The ledger of premium transactions: a list with filters, its sums, and the same as a spreadsheet."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.ledger import TransactionKind
from bindery.domain.rating.surcharges import Surcharge, charge_rules
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.operations import ledger_list
from bindery.storage.operations.ledger_list import LedgerFilter, LedgerRow, LedgerTotals
from bindery.storage.policy import binders
from bindery.storage.policy.binders import ListedBinder
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.spreadsheets import Cells, long_spreadsheet
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import PRODUCTS

KIND_WORDS: Final = {
    TransactionKind.ORIGINAL: "Bound",
    TransactionKind.CANCELLATION: "Canceled",
    TransactionKind.ENDORSEMENT: "Changed",
    TransactionKind.REINSTATEMENT: "Reinstated",
    TransactionKind.LAPSE: "Lapsed",
}
NO_BINDER: Final = "none"
HEAD: Final = (
    "Booked", "Policy", "Transaction", "Kind", "Effective", "Product", "State", "Premium", "Taxes and fees",
    "Charges one by one", "Takes back", "Binder", "Section", "Commission", "Partner", "Quote",
    "Journal entry",
)  # fmt: skip
_read_charges = msgspec.json.Decoder(tuple[Surcharge, ...]).decode


@dataclass(frozen=True, slots=True)
class ShownTransaction:
    row: LedgerRow
    kind: str
    premium: str
    charges: str
    charges_one_by_one: str


@dataclass(frozen=True, slots=True)
class _Listed:
    asked: LedgerFilter
    problem: str
    found: ListPage[LedgerRow]
    sums: LedgerTotals
    binders: Sequence[ListedBinder]


async def show_ledger(visit: Visit) -> Response:
    cursor = paging.cursor_of(visit, paging.read_long_number)

    async def read(tx: Reader) -> _Listed:
        asked, problem = _asked(visit, await _partner(tx, visit.word("partner")))
        found = await ledger_list.newest(tx, asked, limit=paging.ROWS, cursor=cursor)
        sums = await ledger_list.totals(tx, asked)
        return _Listed(asked, problem, found, sums, await binders.list_binders(tx))

    listed = await visit.runtime.database.read(read)
    asked, found, sums = listed.asked, listed.found, listed.sums
    return page(
        visit,
        "ops/ledger.html",
        rows=[_shown(row) for row in found.rows],
        pager=paging.pager_of(visit, found),
        count=f"{sums.count:,}",
        premium=signed(sums.premium),
        charges=signed(sums.charges),
        total=signed(sums.charges + sums.premium),
        problem=listed.problem,
        month=visit.word("month"),
        policy=visit.word("policy"),
        partner=visit.word("partner"),
        kind=visit.word("kind"),
        product=visit.word("product"),
        state=visit.word("state"),
        binder=visit.word("binder"),
        binders=(
            (NO_BINDER, "On no binder"),
            *((binder.agreement, binder.agreement) for binder in listed.binders),
        ),
        kinds=tuple((kind.value, words) for kind, words in KIND_WORDS.items()),
        products=tuple(PRODUCTS.items()),
        states=tuple((state, state) for state in sorted(charge_rules())),
        query=visit.request.url.remove_query_params([paging.AFTER, paging.BEFORE]).query,
        is_filtered=asked != LedgerFilter(),
    )


async def send_csv(visit: Visit) -> Response:
    async def read(tx: Reader, *, after: Cursor | None, together: int) -> ListPage[Cells]:
        asked, _ = _asked(visit, await _partner(tx, visit.word("partner")))
        found = await ledger_list.newest(tx, asked, limit=together, cursor=after)
        return ListPage([*map(_as_cells, found.rows)], next=found.next)

    return await long_spreadsheet(visit.runtime.database, "ledger", HEAD, read)


def _as_cells(row: LedgerRow) -> Cells:
    return (
        row.booked_on,
        row.policy_number,
        row.number,
        row.kind,
        row.effective,
        row.product,
        row.state,
        row.premium,
        row.charges,
        _one_by_one(row),
        "" if row.reverses is None else row.reverses,
        row.agreement or "",
        row.section or "",
        "" if row.commission is None else row.commission,
        row.partner_name,
        row.quote_id,
        row.journal_entry,
    )


def signed(amount: int | Decimal) -> str:
    """Write an amount with a sign where it is taken back: `-$1,234.50`."""
    return f"-{in_dollars(-amount)}" if amount < 0 else in_dollars(amount)


def _shown(row: LedgerRow) -> ShownTransaction:
    return ShownTransaction(
        row, KIND_WORDS[row.kind], signed(row.premium), signed(row.charges), _one_by_one(row)
    )


def _one_by_one(row: LedgerRow) -> str:
    return "; ".join(f"{charge.title} {charge.price}" for charge in _read_charges(row.charge_lines))


async def _partner(tx: Reader, name: str) -> Partner | None:
    return await partners.find_partner_as_typed(tx, name) if name else None


def _asked(visit: Visit, partner: Partner | None) -> tuple[LedgerFilter, str]:
    """Return what is asked for, and what of it cannot be read; that is not the same as all."""
    problem, since, until = "", None, None
    if month := visit.word("month"):
        try:
            since = date.fromisoformat(f"{month}-01")
            until = since + timedelta(days=monthrange(since.year, since.month)[1])
        except (ValueError, OverflowError):
            problem, since = f"“{month}” is no month: write it as 2026-10.", date.max
    kind, product = visit.word("kind"), visit.word("product")
    name = visit.word("partner")
    if name and partner is None:
        problem = f"There is no partner “{name}”."
    return LedgerFilter(
        since=since,
        until=until,
        kind=TransactionKind(kind) if kind in set(TransactionKind) else None,
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        state=visit.word("state"),
        partner_id=partner.partner_id if partner else 0 if name else None,
        policy=visit.word("policy"),
        agreement={"": None, NO_BINDER: ""}.get(visit.word("binder"), visit.word("binder")),
    ), problem
