"""The values that a column of a bordereau can have, by the names that templates use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from bindery.domain.bordereaux.lines import BordereauFrame, BordereauLine
from bindery.domain.policy.binders import commission_of
from bindery.domain.policy.ledger import TransactionKind
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.rating.surcharges import Surcharge

Cell: TypeAlias = str | int | Decimal | date | None
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
    """A value of a line; `is_booked` is one that the ledger has, and that can be worked out again from it."""

    of: Callable[[BordereauLine], Cell]
    type: CellType
    owner: Owner = Owner.OPERATIONS
    is_booked: bool = False
    is_summed: bool = False


@dataclass(frozen=True, slots=True)
class FrameValue:
    """A value that is the same for all lines of a bordereau."""

    of: Callable[[BordereauFrame], Cell]
    type: CellType


_RISK: Final[Mapping[str, str]] = {
    "cancellation": "Cancellation",
    "lapse": "Cancellation",
    "reinstatement": "Reinstatement",
    "endorsement": "Endorsement",
}


def _risk_transaction(line: BordereauLine) -> str:
    return _RISK.get(line.kind, "Renewal" if line.is_renewal else "New")


def _premium_transaction(line: BordereauLine) -> str:
    if line.kind is TransactionKind.ORIGINAL:
        return "Original premium"
    return "Return premium" if line.premium < 0 else "Additional premium"


def _net_premium(line: BordereauLine) -> Decimal:
    return Decimal(line.premium) - (line.commission or Decimal(0))


def _address(line: BordereauLine) -> str:
    address = line.address
    return ", ".join(part for part in (address.street, address.street2, address.city) if part)


def _retention(line: BordereauLine) -> int | None:
    basis = record_of(line.product).retention
    return line.per_claim_retention if basis is RetentionBasis.PER_CLAIM else line.aggregate_retention


def _retention_basis(line: BordereauLine) -> str:
    basis = record_of(line.product).retention
    return "Each and every claim" if basis is RetentionBasis.PER_CLAIM else "Aggregate"


def _gross_commission(line: BordereauLine) -> Decimal | None:
    rate = line.commission_rate
    return None if rate is None else commission_of(line.gross_premium, rate)


_T, _O = CellType, Owner
_LINE_VALUES: Final[Mapping[str, LineValue]] = {
    "section": LineValue(of=lambda line: line.section, type=_T.TEXT),
    "risk_code": LineValue(of=lambda line: line.risk_code, type=_T.TEXT),
    "risk_class": LineValue(of=lambda line: line.risk_class, type=_T.TEXT),
    "transaction_number": LineValue(of=lambda line: line.number, type=_T.WHOLE, is_booked=True),
    "risk_transaction": LineValue(of=_risk_transaction, type=_T.TEXT, is_booked=True),
    "premium_transaction": LineValue(of=_premium_transaction, type=_T.TEXT, is_booked=True),
    "booked_on": LineValue(of=lambda line: line.booked_on, type=_T.DAY, is_booked=True),
    "effective": LineValue(of=lambda line: line.effective, type=_T.DAY, is_booked=True),
    "premium": LineValue(
        of=lambda line: Decimal(line.premium), type=_T.MONEY, is_booked=True, is_summed=True
    ),
    "gross_premium": LineValue(of=lambda line: Decimal(line.gross_premium), type=_T.MONEY, is_booked=True),
    "charges": LineValue(of=lambda line: line.charges, type=_T.MONEY, is_booked=True, is_summed=True),
    "commission_percent": LineValue(of=lambda line: line.commission_rate, type=_T.PERCENT, is_booked=True),
    "commission": LineValue(of=lambda line: line.commission, type=_T.MONEY, is_booked=True, is_summed=True),
    "gross_commission": LineValue(of=_gross_commission, type=_T.MONEY, is_booked=True),
    "net_premium": LineValue(of=_net_premium, type=_T.MONEY, is_booked=True, is_summed=True),
    "product": LineValue(of=lambda line: line.product, type=_T.TEXT, is_booked=True),
    "state": LineValue(of=lambda line: line.state, type=_T.TEXT, is_booked=True),
    "policy_number": LineValue(of=lambda line: line.policy_number, type=_T.TEXT, is_booked=True),
    "policy_group": LineValue(
        of=lambda line: line.policy_number.rpartition("-")[0], type=_T.TEXT, is_booked=True
    ),
    "inception": LineValue(of=lambda line: line.inception, type=_T.DAY),
    "expiration": LineValue(of=lambda line: line.expiration, type=_T.DAY),
    "bound_on": LineValue(of=lambda line: line.bound_on, type=_T.DAY),
    "cancellation_reason": LineValue(of=lambda line: line.cancellation_reason, type=_T.TEXT),
    "limit_any_one_claim": LineValue(
        of=lambda line: line.per_claim_limit or line.aggregate_limit, type=_T.WHOLE, owner=_O.BROKER
    ),
    "aggregate_limit": LineValue(of=lambda line: line.aggregate_limit, type=_T.WHOLE, owner=_O.BROKER),
    "retention": LineValue(of=_retention, type=_T.WHOLE, owner=_O.BROKER),
    "retention_basis": LineValue(of=_retention_basis, type=_T.TEXT),
    "insured": LineValue(of=lambda line: line.insured, type=_T.TEXT, owner=_O.BROKER),
    "address": LineValue(of=_address, type=_T.TEXT, owner=_O.BROKER),
    "zip": LineValue(of=lambda line: line.address.zip, type=_T.TEXT, owner=_O.BROKER),
    "revenue": LineValue(of=lambda line: line.revenue, type=_T.WHOLE, owner=_O.BROKER),
    "employees": LineValue(of=lambda line: line.employees, type=_T.WHOLE, owner=_O.BROKER),
    "sector": LineValue(of=lambda line: line.sector, type=_T.TEXT, owner=_O.BROKER),
    "broker": LineValue(of=lambda line: line.broker, type=_T.TEXT),
}


def _tax(place: int, of: Callable[[BordereauLine, Surcharge], Cell]) -> Callable[[BordereauLine], Cell]:
    def value(line: BordereauLine) -> Cell:
        # A charge of which nothing is taken back is no line of a return.
        if place >= len(line.charge_lines):
            return None
        return of(line, line.charge_lines[place])

    return value


_TAX_PARTS: Final[Mapping[str, tuple[Callable[[BordereauLine, Surcharge], Cell], CellType]]] = {
    "jurisdiction": (lambda line, _charge: line.state, _T.TEXT),
    "type": (lambda _line, charge: charge.title, _T.TEXT),
    "taxable": (lambda line, charge: Decimal(line.premium) if charge.percentage else None, _T.MONEY),
    "percent": (lambda _line, charge: charge.percentage or None, _T.PERCENT),
    "fixed": (lambda _line, charge: None if charge.percentage else charge.price, _T.MONEY),
    "amount": (lambda _line, charge: charge.price, _T.MONEY),
    "payer": (lambda _line, _charge: "Surplus lines broker", _T.TEXT),
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
