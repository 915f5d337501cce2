"""Policies: their numbers, the days they occupy, and the premium that is earned by a day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final
from uuid import UUID

from bindery.base.errors import WrongState
from bindery.base.numbers import to_whole_dollars
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.products import Line, record_of
from bindery.domain.quote.lifecycle import CONTINGENT
from bindery.domain.quote.quote import Quote

MINIMUM_EARNED: Final = Decimal("0.25")
REINSTATE_WITHIN: Final = timedelta(days=30)
BINDER_LAPSES_AFTER: Final = timedelta(days=30)
DUE_AFTER: Final = timedelta(days=30)
_DAY_BITS: Final = 22


class RenewalType(StrEnum):
    AUTO = "auto"
    MANUAL = "manual"


class RenewalRuling(StrEnum):
    """What an underwriter decided on the renewal of a policy before there is an offer to bind."""

    HELD = "held"
    NOT_RENEWED = "not_renewed"


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
    received_on: date | None = None
    """The day on which the last file came in that a binder owes; None while one is missing."""
    cancellation_open: bool = False
    """Whether a request to cancel it waits for an underwriter."""
    lapse_reminders: int = 0
    renewal_ruling: RenewalRuling | None = None

    @property
    def number(self) -> str:
        assert self.policy_number is not None, "what was in force has a number"
        return self.policy_number

    @property
    def is_issued(self) -> bool:
        return self.issued_on is not None

    @property
    def is_conditional(self) -> bool:
        return self.in_force and not self.is_issued and self.fulfil_by is not None

    def is_late(self, today: date) -> bool:
        """Whether everything owed came in time, and nobody has looked by the last day."""
        return self._is_past(today) and self._came_in_time

    def is_lapsed(self, today: date) -> bool:
        return self._is_past(today) and not self._came_in_time

    def _is_past(self, today: date) -> bool:
        return self.is_conditional and self.fulfil_by is not None and self.fulfil_by < today

    @property
    def _came_in_time(self) -> bool:
        return came_in_time(self.received_on, self.fulfil_by)


def came_in_time(received_on: date | None, fulfil_by: date | None) -> bool:
    return received_on is not None and fulfil_by is not None and received_on <= fulfil_by


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


def days_of(term: Term) -> int:
    return (term.expiration - term.effective).days


def payment_due(effective: date) -> date:
    """Return the day by which what begins on a day is paid: bills, mails and pages say the same."""
    return effective + DUE_AFTER


def minimum_earned(premium: int) -> int:
    """Return the least that the insurer keeps, once cover began, of a policy that the insured cancels."""
    return to_whole_dollars(premium * MINIMUM_EARNED)


def earned_premium(
    premium: int,
    term: Term,
    canceled_from: date,
    *,
    has_minimum: bool,
    changes: Sequence[tuple[date, int]] = (),
) -> int:
    """Return the premium for the days before a cancellation; from the first day on, none.

    Of the premium, `changes` have their part each from a day of their own.
    """
    if canceled_from <= term.effective:
        return 0
    parts = [(term.effective, premium - sum(part for _, part in changes)), *changes]
    by_days = to_whole_dollars(
        sum(
            (
                Decimal(part) * max(0, (canceled_from - day).days) / (term.expiration - day).days
                for day, part in parts
            ),
            start=Decimal(0),
        )
    )
    return min(premium, max(by_days, minimum_earned(premium) if has_minimum else 0))


def check_not_lapsed(quote: Quote, policy: Policy | None, today: date) -> None:
    if policy is not None and policy.is_lapsed(today):
        raise WrongState(
            f"The binder lapsed: it had to be fulfilled by {policy.fulfil_by}.",
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
