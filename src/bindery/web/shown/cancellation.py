"""What canceling a policy comes to, in words."""

from datetime import date

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
from bindery.domain.policy.changing import term_premium
from bindery.domain.policy.policy import MINIMUM_EARNED, earned_premium, minimum_earned
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import total_of
from bindery.web.shown.option import assessment_of
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
    record = assessment_of(quote)
    premium = quote.premium or 0 if record is None else term_premium(quote, record)
    extended = extended_reporting(premium, term, foreseen.reason, foreseen.effective)
    return (*rows, ("Extended reporting", _reporting(extended)))


def _earned(quote: Quote, term: Term, foreseen: Cancellation) -> str:
    if foreseen.is_flat:
        return "$0 (flat: coverage does not begin)"
    premium, changes = quote.premium or 0, _changes(quote)
    parts = [(term.effective, premium - sum(part for _, part in changes)), *changes]
    by_days = ", ".join(_days(day, part, term, foreseen.effective, is_one=not changes) for day, part in parts)
    in_days = earned_premium(premium, term, foreseen.effective, has_minimum=False, changes=changes)
    if foreseen.canceled_by is CanceledBy.INSURED and in_days < minimum_earned(premium):
        of_all = f" of {money(premium)}" if changes else ""
        least = f"the minimum of {MINIMUM_EARNED * 100:.0f}%{of_all}, for {by_days}"
        return f"{money(minimum_earned(premium))} ({least})"
    return f"{money(foreseen.earned)} ({by_days})"


def _changes(quote: Quote) -> list[tuple[date, int]]:
    record = assessment_of(quote)
    booked = record.changes if record is not None else ()
    return [(change.effective, change.premium) for change in booked if change.premium]


def _days(first: date, part: int, term: Term, until: date, *, is_one: bool) -> str:
    """Name the days for which a part of the premium is earned; each change has its own."""
    used, days = max(0, (until - first).days), (term.expiration - first).days
    by_days = f"{used} of {counted(days, 'day')}"
    if is_one:
        return by_days
    return f"{'less ' if part < 0 else ''}{money(abs(part))} for {by_days}"


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
