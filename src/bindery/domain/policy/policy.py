"""Policies: their numbers, the days they occupy, and the premium that a cancellation returns."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final
from uuid import UUID

from bindery.base.errors import WrongState
from bindery.base.money import to_whole_dollars
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.products import Line, record_of
from bindery.domain.quote.lifecycle import CONTINGENT
from bindery.domain.quote.quote import Quote

MINIMUM_EARNED: Final = Decimal("0.25")
REINSTATE_WITHIN: Final = timedelta(days=30)
BINDER_LAPSES_AFTER: Final = timedelta(days=30)
_DAY_BITS: Final = 22


class RenewalType(StrEnum):
    AUTO = "auto"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A bind and its policy; without a number it is still a request."""

    quote_id: UUID
    company_id: int
    partner_id: int
    product: InsuranceProduct
    ask_fingerprint: bytes
    attested: bool
    term: Term
    policy_number: str | None = None
    bound_on: date | None = None
    fulfil_by: date | None = None
    issued_on: date | None = None
    in_force: bool = False
    renewal_type: RenewalType = RenewalType.AUTO
    ended_on: date | None = None
    ended_because: str | None = None
    returned_premium: int | None = None
    renewal_submission_id: UUID | None = None
    renewal_quote_id: UUID | None = None
    renewal_settled: bool = False
    reminders_sent: int = 0
    lapse_reminders: int = 0

    @property
    def number(self) -> str:
        assert self.policy_number is not None, "what was in force has a number"
        return self.policy_number

    @property
    def is_issued(self) -> bool:
        return self.issued_on is not None

    def is_lapsed(self, today: date) -> bool:
        return self.in_force and not self.is_issued and self.fulfil_by is not None and self.fulfil_by < today


def policy_number(product: InsuranceProduct, effective: date, sequence: int) -> str:
    """Write a first policy's number: product, year, sequence, check digit, renewal suffix."""
    year = f"{effective.year % 100:02}"
    return f"{product}-{year}-{sequence:07}-{check_digit(f'{year}{sequence:07}')}-00"


def renewed_number(number: str) -> str:
    stem, _, suffix = number.rpartition("-")
    return f"{stem}-{int(suffix) + 1:02}"


def check_digit(digits: str) -> int:
    """Return the Luhn digit, which reveals a mistyped or swapped digit."""
    doubled = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits))]
    return -sum(number // 10 + number % 10 for number in doubled) % 10


def occupied_days(company_id: int, product: InsuranceProduct, start: date, end: date) -> tuple[int, int]:
    """Return the range of numbers that stands for a company's days of a line, the last one outside."""
    base = (company_id * len(Line) + tuple(Line).index(record_of(product).line)) << _DAY_BITS
    return base + start.toordinal(), base + end.toordinal()


def return_premium(premium: int, term: Term, canceled_on: date) -> int:
    """Return the premium for the unused days, but earn at least a quarter once cover begins."""
    if canceled_on <= term.effective:
        return premium
    days = (term.expiration - term.effective).days
    used = (canceled_on - term.effective).days
    earned = max(Decimal(premium) * used / days, Decimal(premium) * MINIMUM_EARNED)
    return max(0, premium - to_whole_dollars(earned))


def check_not_lapsed(quote: Quote, policy: Policy | None, today: date) -> None:
    if policy is not None and policy.is_lapsed(today):
        raise WrongState(
            f"The conditional binder lapsed: it had to be fulfilled by {policy.fulfil_by}.",
            status=quote.status,
            available_statuses=CONTINGENT,
        )


def check_not_issued(quote: Quote, policy: Policy | None, consequence: str) -> None:
    if policy is not None and policy.is_issued:
        raise WrongState(
            f"The policy {policy.policy_number} is issued: {consequence}.",
            status=quote.status,
            available_statuses=CONTINGENT,
        )
