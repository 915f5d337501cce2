"""Whether a quote can be bound from the day that it was quoted for, in words."""

from datetime import date

from bindery.domain.policy.binding import first_days, opens_on
from bindery.domain.quote.deadlines import is_expired
from bindery.domain.quote.quote import Quote
from bindery.web.shown.words import day


def first_day_in_words(quote: Quote, effective: date, *, today: date) -> str:
    """Return why the quoted first day cannot be bound today, and what can; empty where it can be."""
    first, last = first_days(today)
    quoted = f"The first day quoted, {day(effective)},"
    if effective < first:
        return f"{quoted} is too long ago to bind: choose another, {day(first)} or later."
    if effective <= last:
        return ""
    opens = opens_on(effective)
    if quote.expires_on is not None and is_expired(quote.expires_on, today=opens):
        closed = f"could be bound from {day(opens)} on, but the quote is open until {day(quote.expires_on)}"
        return f"{quoted} {closed}. Choose an earlier first day, up to {day(last)} today."
    return (
        f"{quoted} can be bound from {day(opens)} on. Today the first day can be {day(last)} at the latest."
    )
