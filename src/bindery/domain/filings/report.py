"""The report of a state and period: a row for each transaction, each charge of the state apart, and sums."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from bindery.base.spreadsheets import harmless
from bindery.domain.filings.obligations import ZERO
from bindery.domain.filings.periods import FilingPeriod
from bindery.domain.rating.surcharges import charge_rules

HEAD: Final = (
    "State", "Booked", "Policy", "Transaction", "Kind", "Effective", "Expires", "Product", "Insured",
    "Insurers", "Premium",
)  # fmt: skip
OTHER_CHARGES: Final = "Other charges"
SUMS: Final = ("Taxes and fees", "Total")


class ReportedCharge(msgspec.Struct, frozen=True, gc=False):
    title: str
    price: Decimal


class ReportedTransaction(NamedTuple):
    """A transaction as a report has it; a tuple, since there are a million of them."""

    state: str
    booked_on: str
    policy_number: str
    number: int
    kind: str
    effective: str
    expiration: str
    product: str
    insured: str
    insurers: str
    premium: int
    charges: tuple[ReportedCharge, ...]


class StateReport:
    """The rows of a report as it is written, and what they add up to."""

    def __init__(self, state: str, period: FilingPeriod, *, today: date) -> None:
        self.state = state
        self.period = period
        self.is_draft = not period.is_over(today)
        self.count = 0
        self.premium = 0
        titles = dict.fromkeys(charge.title for charge in charge_rules().get(state, ()))
        self._places = {title: place for place, title in enumerate(titles)}
        self._charges = [ZERO] * (len(titles) + 1)

    @property
    def name(self) -> str:
        return f"{self.state}-{self.period}{'-draft' if self.is_draft else ''}"

    @property
    def charges(self) -> Decimal:
        return sum(self._charges, ZERO)

    def head(self) -> Iterator[Sequence[object]]:
        if self.is_draft:
            yield (f"Draft: more may be booked until {self.period.last}",)
        yield (*HEAD, *self._places, OTHER_CHARGES, *SUMS)

    def row(self, booked: ReportedTransaction) -> Sequence[object]:
        *told, insured, insurers, premium, charges = booked
        amounts, total = [ZERO] * len(self._charges), ZERO
        for charge in charges:
            # What the state's file does not name is in the last column.
            place = self._places.get(charge.title, -1)
            amounts[place] += charge.price
            self._charges[place] += charge.price
            total += charge.price
        self.count += 1
        self.premium += premium
        return (*told, harmless(insured), harmless(insurers), premium, *amounts, total, total + premium)

    def foot(self) -> Sequence[object]:
        blank = [""] * (len(HEAD) - 4)
        sums = (self.premium, *self._charges, self.charges, self.charges + self.premium)
        return ("Total", "", f"{self.count} transactions", *blank, *sums)
