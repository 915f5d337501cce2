"""Business days: neither weekends nor federal holidays."""

from datetime import date
from functools import lru_cache
from typing import Final

from bindery.base.errors import Misconfigured
from bindery.domain.business_rules import A_DAY, SATURDAY

_ANY_YEAR: Final = 2026


def next_business_day(day: date) -> date:
    """Return the day itself if it is a business day, otherwise the next one.

    A holiday on a weekend is kept on a weekday next to it, which is then no business day either.

    Raises:
        Misconfigured: the library that knows the holidays is not installed.
    """
    while day.weekday() >= SATURDAY or day in _federal_holidays(day.year):
        day += A_DAY
    return day


def what_is_missing() -> str:
    """Return the sentence that says how to get the library of holidays; empty where it is there."""
    try:
        _federal_holidays(_ANY_YEAR)
    except Misconfigured as fault:
        return fault.message
    return ""


@lru_cache(maxsize=64)
def _federal_holidays(year: int) -> frozenset[date]:
    try:
        # Imported when it is needed: it belongs to an extra, and only the filings ask for it.
        from holidays import country_holidays  # noqa: PLC0415
    except ImportError:
        raise Misconfigured(
            "Due dates that move to the next business day are unknown here: they need the library of "
            "pip install 'bindery[book]'."
        ) from None
    return frozenset(country_holidays("US", years=year))
