"""The extended reporting periods that can be bought after a policy, and their prices."""

from datetime import date
from decimal import Decimal
from typing import Final

from bindery.base.numbers import to_whole_dollars

DAYS_OF_A_YEAR: Final = 365
PERCENT_BY_MONTHS: Final = ((12, 100), (24, 150), (36, 185))


def annual_premium(premium: int, effective: date, expiration: date) -> int:
    """Return the premium of a year: that of the policy unless its period is not one year."""
    is_a_year = expiration.year == effective.year + 1 and (
        (expiration.month, expiration.day) == (effective.month, effective.day)
    )
    if is_a_year:
        return premium
    return to_whole_dollars(Decimal(premium) * DAYS_OF_A_YEAR / (expiration - effective).days)


def extended_reporting_prices(annual: int) -> list[tuple[int, int, int]]:
    """Return each period: its months, its percent of the annual premium, and its price in dollars."""
    return [
        (months, percent, to_whole_dollars(Decimal(annual) * percent / 100))
        for months, percent in PERCENT_BY_MONTHS
    ]
