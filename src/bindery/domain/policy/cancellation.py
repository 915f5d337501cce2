"""Cancellations and reinstatements: who may cancel why and from when, and what that comes to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Final

import msgspec

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.policy_ending import CanceledBy, CanceledPolicy, CancellationReason
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.editions import packaged_rows
from bindery.domain.policy.extended_reporting import annual_premium, extended_reporting_prices
from bindery.domain.policy.policy import REINSTATE_WITHIN, Policy, earned_premium
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import NOT_ASSESSED, from_record
from bindery.domain.rating.surcharges import Surcharge, charges_returned

R = CancellationReason
REASONS_OF: Final[Mapping[CanceledBy, tuple[CancellationReason, ...]]] = {
    CanceledBy.INSURED: (R.INSURED_REQUEST, R.BUSINESS_SOLD, R.REWRITTEN, R.NOT_TAKEN_UP),
    CanceledBy.INSURER: (R.NONPAYMENT, R.FRAUD),
}
REASON_WORDS: Final[Mapping[CancellationReason, str]] = {
    R.INSURED_REQUEST: "At the insured's request",
    R.BUSINESS_SOLD: "Business sold",
    R.REWRITTEN: "Rewritten on another policy",
    R.NOT_TAKEN_UP: "Policy not taken up",
    R.NONPAYMENT: "Nonpayment of premium",
    R.FRAUD: "Fraud",
}
AUTOMATIC_REPORTING: Final = timedelta(days=60)
BUY_REPORTING_WITHIN: Final = timedelta(days=30)
"""Months of extended reporting, and their price as a part of the annual premium."""
NOT_REPLACED: Final = frozenset({R.INSURED_REQUEST, R.BUSINESS_SOLD, R.NOT_TAKEN_UP})
"""The reasons after which the policy grants the automatic reporting period."""


def canceled_by(reason: CancellationReason) -> CanceledBy:
    """Return who can have a reason."""
    return next(who for who, reasons in REASONS_OF.items() if reason in reasons)


@dataclass(frozen=True, slots=True)
class NoticeDays:
    state: str
    nonpayment_days: int
    fraud_days: int
    source: str
    confidence: str


@cache
def notice_table() -> Mapping[str, NoticeDays]:
    rows = (
        msgspec.convert(row, NoticeDays, strict=False) for row in packaged_rows("cancellation_notices.csv")
    )
    return MappingProxyType({row.state: row for row in rows})


def notice_days(state: str, reason: CancellationReason) -> int:
    """Return how many days the insurer's notice comes before the cancellation; the insured gives none."""
    table = notice_table()
    row = table.get(state, table["other"])
    return {R.NONPAYMENT: row.nonpayment_days, R.FRAUD: row.fraud_days}.get(reason, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """What a cancellation comes to; a flat one is from the first day, as if there had been no policy.

    Premium is in whole dollars, charges are to the cent. For nonpayment nothing is returned: what is earned
    is due, with the charges that belong to it.
    """

    canceled_by: CanceledBy
    reason: CancellationReason
    text: str
    effective: date
    earned: int
    returned: int
    due: int
    is_flat: bool
    charges_returned: Decimal
    charges_due: Decimal
    unearned_charges: tuple[Surcharge, ...]

    @property
    def words(self) -> str:
        return self.text or REASON_WORDS[self.reason]

    @property
    def body(self) -> CanceledPolicy:
        return msgspec.convert(self, CanceledPolicy, from_attributes=True)


def first_day(ask: CancelPolicy, term: Term, *, state: str, today: date) -> date:
    """Return the first day of the term, from today on, from which a policy can be canceled."""
    return max(today + timedelta(days=notice_days(state, ask.reason)), term.effective)


def decide_cancel(quote: Quote, term: Term, ask: CancelPolicy, *, state: str, today: date) -> Cancellation:
    """Work out a cancellation; without a day, as of the first possible one.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: whoever cancels cannot have this reason, or the day is too early or outside the term.
    """
    find_move(quote.status, Trigger.CANCEL)
    problems = _problems(ask, term, state=state, today=today)
    if problems:
        raise InvalidRequest.because(problems)
    day = ask.on or first_day(ask, term, state=state, today=today)
    return _amounts(quote, term, ask, day, state)


def _problems(ask: CancelPolicy, term: Term, *, state: str, today: date) -> list[Problem]:
    allowed = REASONS_OF[ask.canceled_by]
    if ask.reason not in allowed:
        flaw = f"must be one of {', '.join(allowed)} if the {ask.canceled_by} cancels"
        return [Problem("reason", "not_allowed", flaw)]
    first = first_day(ask, term, state=state, today=today)
    if ask.canceled_by is CanceledBy.INSURER and first >= term.expiration:
        flaw = f"would be {first} at the earliest, and the policy ends on {term.expiration}"
        return [Problem("effective", "too_late", flaw)]
    day = ask.on or first
    if not term.effective <= day < term.expiration:
        flaw = f"must be from {term.effective} and before {term.expiration}; today is {today}"
        return [Problem("effective", "outside_term", flaw)]
    if ask.canceled_by is CanceledBy.INSURER and day < first:
        days = notice_days(state, ask.reason)
        flaw = f"must be {first} or later: canceling for {ask.reason} takes {days} days' notice"
        return [Problem("effective", "too_early", flaw)]
    if day < first and day != term.effective:
        flaw = f"must be {first} or later, or the first day of the term, {term.effective}"
        return [Problem("effective", "too_early", flaw)]
    return []


def _amounts(quote: Quote, term: Term, ask: CancelPolicy, day: date, state: str) -> Cancellation:
    premium, is_flat = quote.premium or 0, day == term.effective
    has_minimum = ask.canceled_by is CanceledBy.INSURED
    record = from_record(quote.assessment) if quote.assessment is not None else NOT_ASSESSED
    changes = [(change.effective, change.premium) for change in record.changes]
    earned = earned_premium(premium, term, day, has_minimum=has_minimum, changes=changes)
    unearned = premium - earned
    charges = record.surcharges
    unearned_charges = charges_returned(state, charges, unearned, is_flat=is_flat)
    back = sum((charge.price for charge in unearned_charges), Decimal(0))
    is_unpaid = ask.reason is R.NONPAYMENT
    return Cancellation(
        canceled_by=ask.canceled_by,
        reason=ask.reason,
        text=ask.text,
        effective=day,
        earned=earned,
        returned=0 if is_unpaid else unearned,
        due=earned if is_unpaid else 0,
        is_flat=is_flat,
        charges_returned=Decimal(0) if is_unpaid else back,
        charges_due=sum((charge.price for charge in charges), -back) if is_unpaid else Decimal(0),
        unearned_charges=unearned_charges,
    )


@dataclass(frozen=True, slots=True)
class ExtendedReporting:
    """How long claims can still be reported after the end, without charge and for a price by months."""

    automatic_until: date | None
    prices: tuple[tuple[int, int], ...]
    offered_until: date


def reporting_prices(premium: int, term: Term) -> tuple[tuple[int, int], ...]:
    """Return months of extended reporting and their prices, from the annual premium."""
    annual = annual_premium(premium, term.effective, term.expiration)
    return tuple((months, price) for months, _, price in extended_reporting_prices(annual))


def extended_reporting(
    premium: int, term: Term, reason: CancellationReason | None, effective: date
) -> ExtendedReporting | None:
    """Return the extended reporting after a cancellation; None after a flat one, as nothing was insured."""
    if effective <= term.effective:
        return None
    return ExtendedReporting(
        automatic_until=effective + AUTOMATIC_REPORTING if reason in NOT_REPLACED else None,
        prices=reporting_prices(premium, term),
        offered_until=effective + BUY_REPORTING_WITHIN,
    )


def reporting_after_term(premium: int, term: Term) -> ExtendedReporting:
    """Return the extended reporting after a policy that ends with its term and is not renewed."""
    return ExtendedReporting(
        automatic_until=term.expiration + AUTOMATIC_REPORTING,
        prices=reporting_prices(premium, term),
        offered_until=term.expiration + BUY_REPORTING_WITHIN,
    )


def reinstate_by(canceled_on: date) -> date:
    """Return the last day to reinstate a policy that was canceled on a day.

    The day from which cover ends does not count: it may lie months back, and a mistake is noticed later.
    """
    return canceled_on + REINSTATE_WITHIN


def has_ended(effective: date, today: date) -> bool:
    """Whether a cancellation has taken effect, at 12:01 a.m. of its day."""
    return effective <= today


def check_reinstatable(
    quote: Quote, policy: Policy, *, canceled_on: date | None, no_known_loss: bool, today: date
) -> None:
    """Check that a policy can be reinstated.

    Raises:
        WrongState: it is not canceled, or was canceled too long ago.
        InvalidRequest: coverage had ended, and nobody has signed that no loss is known since then.
    """
    find_move(quote.status, Trigger.REINSTATE)
    assert canceled_on is not None, "the journal of a canceled policy has its cancellation"
    assert policy.ended_on is not None, "a canceled policy has an end"
    last_day = reinstate_by(canceled_on)
    if today > last_day:
        raise WrongState(
            f"The policy was canceled on {canceled_on} and could be reinstated for 30 days, by {last_day}; "
            f"today is {today}.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_CANCELED],
        )
    if has_ended(policy.ended_on, today) and not no_known_loss:
        flaw = f"is required, signed by the insured: coverage ended on {policy.ended_on}"
        raise InvalidRequest.because([Problem("no_known_loss", "required", flaw)])
