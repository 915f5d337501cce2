"""How long things stay open; dates are those of the business's time zone."""

from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.quote import Quote

QUOTE_OPEN_FOR: Final = timedelta(days=60)
REFERRAL_WAITS_FOR: Final = timedelta(days=60)


def expires_on(published_on: date) -> date:
    """Return the last day on which a quote published that day can be bound."""
    return published_on + QUOTE_OPEN_FOR


def is_expired(last_day: date, *, today: date) -> bool:
    """Whether a quote's expiration date is in the past."""
    return last_day < today


def is_stale(quote: Quote, today: date, zone: ZoneInfo) -> bool:
    """Whether a referral has waited for so long that it cannot be decided any more."""
    if quote.status is not QuoteStatus.QUOTE_REFERRED or quote.referred_at is None:
        return False
    return quote.referred_at < datetime.combine(today - REFERRAL_WAITS_FOR, time.min, zone)
