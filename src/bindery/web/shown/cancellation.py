"""What canceling a policy comes to, in words."""

from datetime import date
from decimal import Decimal

from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.cancellation import (
    REASON_WORDS,
    Cancellation,
    ExtendedReporting,
    extended_reporting,
    first_day,
    notice_days,
)
from bindery.domain.policy.policy import MINIMUM_EARNED, days_of, minimum_earned
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import total_of
from bindery.web.shown.words import cents, counted, day, money


def earliest_day(ask: CancelPolicy, term: Term, *, state: str, today: date) -> str:
    first, days = first_day(ask, term, state=state, today=today), notice_days(state, ask.reason)
    if days:
        return f"{day(first)}, the first possible day with {counted(days, 'day')}' notice"
    if first == today:
        return f"today, {day(today)}"
    return f"{day(first)}, the first day of the term"


def amount_of(quote: Quote, foreseen: Cancellation) -> str:
    if foreseen.reason is CancellationReason.NONPAYMENT:
        return f"{money(foreseen.due)} of {money(quote.premium)} is earned and due."
    return f"{money(foreseen.returned)} of {money(quote.premium)} is returned."


def amounts_of(quote: Quote, term: Term, foreseen: Cancellation) -> tuple[tuple[str, str], ...]:
    charges = total_of(quote) - (quote.premium or 0)
    rows = [
        ("Canceled by", f"the {foreseen.canceled_by}"),
        ("Reason", REASON_WORDS[foreseen.reason]),
        ("Earned premium", _earned(quote, term, foreseen)),
    ]
    if foreseen.reason is CancellationReason.NONPAYMENT:
        due = foreseen.due + foreseen.charges_due
        rows += [
            ("Premium due", money(foreseen.due)),
            ("Taxes and fees due", f"{cents(foreseen.charges_due)}, {cents(due)} in all"),
        ]
    else:
        rows += [
            ("Returned premium", f"{money(foreseen.returned)} of {money(quote.premium)}"),
            ("Taxes and fees returned", f"{cents(foreseen.charges_returned)} of {cents(charges)}"),
        ]
    extended = extended_reporting(quote.premium or 0, term, foreseen.reason, foreseen.effective)
    return (*rows, ("Extended reporting", _reporting(extended)))


def _earned(quote: Quote, term: Term, foreseen: Cancellation) -> str:
    if foreseen.is_flat:
        return "$0 (flat: coverage does not begin)"
    used = (foreseen.effective - term.effective).days
    by_days = f"{used} of {counted(days_of(term), 'day')}"
    premium = quote.premium or 0
    is_least = foreseen.canceled_by is CanceledBy.INSURED and Decimal(used) / days_of(term) < MINIMUM_EARNED
    if is_least:
        return f"{money(minimum_earned(premium))} (the minimum of {MINIMUM_EARNED * 100:.0f}%, for {by_days})"
    return f"{money(foreseen.earned)} ({by_days})"


def _reporting(extended: ExtendedReporting | None) -> str:
    if extended is None:
        return "none (coverage does not begin)"
    automatic = (
        f"automatic until {day(extended.automatic_until)}"
        if extended.automatic_until
        else "no automatic period"
    )
    prices = ", ".join(f"{months} months {money(price)}" for months, price in extended.prices)
    return f"{automatic}; {prices}, offered until {day(extended.offered_until)}"
