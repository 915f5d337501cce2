"""Values by band, and premiums along a curve."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

LOGARITHMS: Final = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""A context of its own, so that no caller's precision can move a premium."""

BASE_PLACES: Final = Decimal("0.0001")
"""An interpolated base premium is fixed to these places, so that the worksheet multiplies exactly."""


@dataclass(frozen=True, slots=True)
class Bands(Generic[Value]):
    """Values that each hold from a start up to the next one."""

    starts: tuple[int, ...]
    values: tuple[Value, ...]

    def at(self, number: int | Decimal) -> Value:
        """Return the value whose band holds the number.

        Raises:
            LookupError: the number is below the first band.
        """
        index = bisect_right(self.starts, number)
        if not index:
            raise LookupError(f"{number} is below the first band, {self.starts[0]}")
        return self.values[index - 1]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Premium by revenue: straight between its points when both are drawn as logarithms.

    Compared by identity, so that an interpolation can be remembered under its curve.
    """

    revenues: tuple[int, ...]
    premiums: tuple[int, ...]
    log_revenues: tuple[Decimal, ...]
    log_premiums: tuple[Decimal, ...]
    slopes: tuple[Decimal, ...]

    @classmethod
    def through(cls, points: Mapping[int, int]) -> "Curve":
        """Draw the curve through two or more points, each a revenue and its premium."""
        revenues, premiums = tuple(points), tuple(points.values())
        log_revenues = tuple(_log(revenue) for revenue in revenues)
        log_premiums = tuple(_log(premium) for premium in premiums)
        slopes = tuple(
            LOGARITHMS.divide(LOGARITHMS.subtract(high, low), LOGARITHMS.subtract(right, left))
            for (left, low), (right, high) in pairwise(zip(log_revenues, log_premiums, strict=True))
        )
        return cls(revenues, premiums, log_revenues, log_premiums, slopes)

    def at(self, revenue: int) -> Decimal:
        """Return the base premium: flat below the first point, on along the last line above the last."""
        return _interpolate(self, revenue)


@lru_cache(maxsize=4096)
def _log(amount: int) -> Decimal:
    return LOGARITHMS.ln(Decimal(amount))


@lru_cache(maxsize=4096)
def _interpolate(curve: Curve, revenue: int) -> Decimal:
    if revenue <= curve.revenues[0]:
        return Decimal(curve.premiums[0]).quantize(BASE_PLACES, context=LOGARITHMS)
    point = bisect_right(curve.revenues, revenue) - 1
    if revenue == curve.revenues[point]:
        return Decimal(curve.premiums[point]).quantize(BASE_PLACES, context=LOGARITHMS)
    line = min(point, len(curve.slopes) - 1)
    beyond = LOGARITHMS.subtract(_log(revenue), curve.log_revenues[line])
    logarithm = LOGARITHMS.fma(curve.slopes[line], beyond, curve.log_premiums[line])
    return LOGARITHMS.exp(logarithm).quantize(BASE_PLACES, context=LOGARITHMS)
