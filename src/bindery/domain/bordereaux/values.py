"""The values that a column of a bordereau can have, by the names that templates use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeAlias

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.bordereaux.lines import BordereauFrame, Lines, LineTax
from bindery.domain.policy.binders import commission_of
from bindery.domain.policy.ledger import TransactionKind
from bindery.domain.products import RetentionBasis, record_of

Cell: TypeAlias = str | int | Decimal | date | None
Taxes: TypeAlias = Sequence[LineTax | None]
TaxPart: TypeAlias = Callable[[Lines, Taxes], Sequence[Cell]]
TAXES: Final = 5
"""Taxes and fees that have columns of their own."""


class CellType(StrEnum):
    TEXT = "text"
    MONEY = "money"
    PERCENT = "percent"
    WHOLE = "whole"
    DAY = "day"


class Owner(StrEnum):
    """Who can give a value that is missing."""

    OPERATIONS = "operations"
    BROKER = "broker"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineValue:
    """A value of lines; `is_booked` is one that the ledger has, and that can be worked out again from it."""

    of: Callable[[Lines], Sequence[Cell]]
    type: CellType
    owner: Owner = Owner.OPERATIONS
    is_booked: bool = False
    is_summed: bool = False


@dataclass(frozen=True, slots=True)
class FrameValue:
    """A value that is the same for all lines of a bordereau."""

    of: Callable[[BordereauFrame], Cell]
    type: CellType


ZERO: Final = Decimal(0)
_RISK: Final[Mapping[str, str]] = {
    "cancellation": "Cancellation",
    "lapse": "Cancellation",
    "reinstatement": "Reinstatement",
    "endorsement": "Endorsement",
}


def _risk_transactions(lines: Lines) -> Sequence[Cell]:
    pairs = zip(lines.kind, lines.is_renewal, strict=True)
    return [_RISK.get(kind, "Renewal" if is_renewal else "New") for kind, is_renewal in pairs]


def _premium_transactions(lines: Lines) -> Sequence[Cell]:
    return [
        "Original premium"
        if kind is TransactionKind.ORIGINAL
        else "Return premium"
        if premium < 0
        else "Additional premium"
        for kind, premium in zip(lines.kind, lines.premium, strict=True)
    ]


def _net_premiums(lines: Lines) -> Sequence[Cell]:
    pairs = zip(lines.premium, lines.commission, strict=True)
    return [premium - (commission or ZERO) for premium, commission in pairs]


def _gross_commissions(lines: Lines) -> Sequence[Cell]:
    pairs = zip(lines.gross_premium, lines.commission_rate, strict=True)
    return [None if rate is None else commission_of(premium, rate) for premium, rate in pairs]


def _policy_groups(lines: Lines) -> Sequence[Cell]:
    return [number.rpartition("-")[0] for number in lines.policy_number]


def _addresses(lines: Lines) -> Sequence[Cell]:
    return [
        ", ".join([part for part in (address.street, address.street2, address.city) if part])
        for address in lines.address
    ]


def _zips(lines: Lines) -> Sequence[Cell]:
    return [address.zip for address in lines.address]


def _limits_any_one_claim(lines: Lines) -> Sequence[Cell]:
    pairs = zip(lines.per_claim_limit, lines.aggregate_limit, strict=True)
    return [per_claim or aggregate for per_claim, aggregate in pairs]


def _retentions(lines: Lines) -> Sequence[Cell]:
    each = zip(lines.product, lines.per_claim_retention, lines.aggregate_retention, strict=True)
    return [per_claim if _is_per_claim(product) else aggregate for product, per_claim, aggregate in each]


def _retention_bases(lines: Lines) -> Sequence[Cell]:
    return ["Each and every claim" if _is_per_claim(product) else "Aggregate" for product in lines.product]


def _is_per_claim(product: InsuranceProduct) -> bool:
    return record_of(product).retention is RetentionBasis.PER_CLAIM


_T, _O = CellType, Owner
_LINE_VALUES: Final[Mapping[str, LineValue]] = {
    "section": LineValue(of=attrgetter("section"), type=_T.TEXT),
    "risk_code": LineValue(of=attrgetter("risk_code"), type=_T.TEXT),
    "risk_class": LineValue(of=attrgetter("risk_class"), type=_T.TEXT),
    "transaction_number": LineValue(of=attrgetter("number"), type=_T.WHOLE, is_booked=True),
    "risk_transaction": LineValue(of=_risk_transactions, type=_T.TEXT, is_booked=True),
    "premium_transaction": LineValue(of=_premium_transactions, type=_T.TEXT, is_booked=True),
    "booked_on": LineValue(of=attrgetter("booked_on"), type=_T.DAY, is_booked=True),
    "effective": LineValue(of=attrgetter("effective"), type=_T.DAY, is_booked=True),
    "premium": LineValue(of=attrgetter("premium"), type=_T.MONEY, is_booked=True, is_summed=True),
    "gross_premium": LineValue(of=attrgetter("gross_premium"), type=_T.MONEY, is_booked=True),
    "charges": LineValue(of=attrgetter("charges"), type=_T.MONEY, is_booked=True, is_summed=True),
    "commission_percent": LineValue(of=attrgetter("commission_rate"), type=_T.PERCENT, is_booked=True),
    "commission": LineValue(of=attrgetter("commission"), type=_T.MONEY, is_booked=True, is_summed=True),
    "gross_commission": LineValue(of=_gross_commissions, type=_T.MONEY, is_booked=True),
    "net_premium": LineValue(of=_net_premiums, type=_T.MONEY, is_booked=True, is_summed=True),
    "product": LineValue(of=attrgetter("product"), type=_T.TEXT, is_booked=True),
    "state": LineValue(of=attrgetter("state"), type=_T.TEXT, is_booked=True),
    "policy_number": LineValue(of=attrgetter("policy_number"), type=_T.TEXT, is_booked=True),
    "policy_group": LineValue(of=_policy_groups, type=_T.TEXT, is_booked=True),
    "inception": LineValue(of=attrgetter("inception"), type=_T.DAY),
    "expiration": LineValue(of=attrgetter("expiration"), type=_T.DAY),
    "bound_on": LineValue(of=attrgetter("bound_on"), type=_T.DAY),
    "cancellation_reason": LineValue(of=attrgetter("cancellation_reason"), type=_T.TEXT),
    "limit_any_one_claim": LineValue(of=_limits_any_one_claim, type=_T.WHOLE, owner=_O.BROKER),
    "aggregate_limit": LineValue(of=attrgetter("aggregate_limit"), type=_T.WHOLE, owner=_O.BROKER),
    "retention": LineValue(of=_retentions, type=_T.WHOLE, owner=_O.BROKER),
    "retention_basis": LineValue(of=_retention_bases, type=_T.TEXT),
    "insured": LineValue(of=attrgetter("insured"), type=_T.TEXT, owner=_O.BROKER),
    "address": LineValue(of=_addresses, type=_T.TEXT, owner=_O.BROKER),
    "zip": LineValue(of=_zips, type=_T.TEXT, owner=_O.BROKER),
    "revenue": LineValue(of=attrgetter("revenue"), type=_T.WHOLE, owner=_O.BROKER),
    "employees": LineValue(of=attrgetter("employees"), type=_T.WHOLE, owner=_O.BROKER),
    "sector": LineValue(of=attrgetter("sector"), type=_T.TEXT, owner=_O.BROKER),
    "broker": LineValue(of=attrgetter("broker"), type=_T.TEXT),
}


def _tax(place: int, of: TaxPart) -> Callable[[Lines], Sequence[Cell]]:
    def cells(lines: Lines) -> Sequence[Cell]:
        return of(lines, lines.taxes[place]) if place < len(lines.taxes) else (None,) * len(lines.state)

    return cells


@cache
def _is_rate(percentage: str) -> bool:
    """Whether a charge is in proportion to the premium, not a fixed fee."""
    return bool(Decimal(percentage))


def _jurisdictions(lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return [state if tax else None for tax, state in zip(taxes, lines.state, strict=True)]


def _types(_lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return [tax.title if tax else None for tax in taxes]


def _taxable(lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    pairs = zip(taxes, lines.premium, strict=True)
    return [premium if tax and _is_rate(tax.percentage) else None for tax, premium in pairs]


def _percents(_lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return [tax.percentage if tax and _is_rate(tax.percentage) else None for tax in taxes]


def _fixed(_lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return [tax.price if tax and not _is_rate(tax.percentage) else None for tax in taxes]


def _amounts(_lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return [tax.price if tax else None for tax in taxes]


def _payers(_lines: Lines, taxes: Taxes) -> Sequence[Cell]:
    return ["Surplus lines broker" if tax else None for tax in taxes]


_TAX_PARTS: Final[Mapping[str, tuple[TaxPart, CellType]]] = {
    "jurisdiction": (_jurisdictions, _T.TEXT),
    "type": (_types, _T.TEXT),
    "taxable": (_taxable, _T.MONEY),
    "percent": (_percents, _T.PERCENT),
    "fixed": (_fixed, _T.MONEY),
    "amount": (_amounts, _T.MONEY),
    "payer": (_payers, _T.TEXT),
}
_TAX_VALUES: Final[Mapping[str, LineValue]] = {
    f"tax_{place + 1}_{part}": LineValue(
        of=_tax(place, of), type=kind, is_booked=True, is_summed=part == "amount"
    )
    for place in range(TAXES)
    for part, (of, kind) in _TAX_PARTS.items()
}
LINE_VALUES: Final[Mapping[str, LineValue]] = MappingProxyType({**_LINE_VALUES, **_TAX_VALUES})
_IN_TOWN: Final = 3
"""The words of an address's last line, from its end, that are the state and the ZIP code, with one before."""


def _state_and_zip(frame: BordereauFrame) -> tuple[str, str]:
    words = frame.licensee_address[-1].split()
    return (words[-2], words[-1]) if len(words) >= _IN_TOWN else ("", "")


FRAME_VALUES: Final[Mapping[str, FrameValue]] = MappingProxyType(
    {
        "period_start": FrameValue(lambda frame: frame.since, _T.DAY),
        "period_end": FrameValue(lambda frame: frame.until - timedelta(days=1), _T.DAY),
        "agreement": FrameValue(lambda frame: frame.agreement, _T.TEXT),
        "coverholder": FrameValue(lambda frame: frame.coverholder, _T.TEXT),
        "pin": FrameValue(lambda frame: frame.pin, _T.TEXT),
        "year_of_account": FrameValue(lambda frame: frame.year_of_account, _T.WHOLE),
        "licensee": FrameValue(lambda frame: frame.licensee, _T.TEXT),
        "license": FrameValue(lambda frame: frame.license, _T.TEXT),
        "licensee_street": FrameValue(lambda frame: ", ".join(frame.licensee_address[:-1]), _T.TEXT),
        "licensee_state": FrameValue(lambda frame: _state_and_zip(frame)[0], _T.TEXT),
        "licensee_zip": FrameValue(lambda frame: _state_and_zip(frame)[1], _T.TEXT),
    }
)
