"""Numbers as texts write them; whole dollars are `int`, everything before the one rounding is `Decimal`."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

ENDLESS: Final = 10**18
"""Stands for every number of more digits than anything here is counted in."""
ONE_DOLLAR = Decimal(1)
ONE_CENT = Decimal("0.01")


def read_digits(text: str) -> int | None:
    """Return the number that a text of ASCII digits writes, `ENDLESS` at most; None if it is anything else.

    Python itself refuses to read some thousands of digits, and takes signs, spaces, underscores and digits of
    other scripts.
    """
    if not text.isascii() or not text.isdecimal():
        return None
    digits = text.lstrip("0")
    return min(int(digits[:19] or "0"), ENDLESS)


def to_whole_dollars(amount: Decimal) -> int:
    return int(amount.quantize(ONE_DOLLAR, rounding=ROUND_HALF_UP))


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(ONE_CENT, rounding=ROUND_HALF_UP)


def in_dollars(amount: int | Decimal) -> str:
    """Write an amount the American way: `$1,234` or `$1,234.50`."""
    return f"${amount:,}" if isinstance(amount, int) else f"${to_cents(amount):,}"
