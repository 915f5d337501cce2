"""Whole dollars are `int`; everything before the one rounding is `Decimal`."""

from decimal import ROUND_HALF_UP, Decimal

ONE_DOLLAR = Decimal(1)
ONE_CENT = Decimal("0.01")


def to_whole_dollars(amount: Decimal) -> int:
    return int(amount.quantize(ONE_DOLLAR, rounding=ROUND_HALF_UP))


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(ONE_CENT, rounding=ROUND_HALF_UP)


def in_dollars(amount: int | Decimal) -> str:
    """Write an amount the American way: `$1,234` or `$1,234.50`."""
    return f"${amount:,}" if isinstance(amount, int) else f"${to_cents(amount):,}"
