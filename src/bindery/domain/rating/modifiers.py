"""The effect of answers on a price: the rows of a tariff, in groups. An unanswered question has none."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Generic, TypeVar

from bindery.domain.applicant.risk import Answers
from bindery.domain.rating.worksheet import EXACT, ONE, Factor

Value = TypeVar("Value")

LOGARITHMS: Final = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""A context of its own, so that no caller's precision can change a premium."""

BASE_PLACES: Final = Decimal("0.0001")
"""An interpolated base premium is fixed to these places, so that the worksheet multiplies exactly."""


@dataclass(frozen=True, slots=True)
class Bands(Generic[Value]):
    starts: tuple[int, ...]
    values: tuple[Value, ...]

    def at(self, number: int | Decimal) -> Value:
        index = bisect_right(self.starts, number)
        if not index:
            raise LookupError(f"{number} is below the first band, {self.starts[0]}")
        return self.values[index - 1]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Premium by revenue: straight between its points when both are drawn as logarithms.

    Compared by identity, so that an interpolation can be cached under its curve.
    """

    revenues: tuple[int, ...]
    premiums: tuple[int, ...]
    log_revenues: tuple[Decimal, ...]
    log_premiums: tuple[Decimal, ...]
    slopes: tuple[Decimal, ...]

    @classmethod
    def through(cls, points: Mapping[int, int]) -> "Curve":
        revenues, premiums = tuple(points), tuple(points.values())
        log_revenues = tuple(_log(revenue) for revenue in revenues)
        log_premiums = tuple(_log(premium) for premium in premiums)
        slopes = tuple(
            LOGARITHMS.divide(LOGARITHMS.subtract(high, low), LOGARITHMS.subtract(right, left))
            for (left, low), (right, high) in pairwise(zip(log_revenues, log_premiums, strict=True))
        )
        return cls(revenues, premiums, log_revenues, log_premiums, slopes)

    def at(self, revenue: int) -> Decimal:
        """Return the base premium: flat below the first point, along the last line above the last."""
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


@dataclass(frozen=True, slots=True)
class YesNo:
    """A factor for yes and one for no; `question` is a bare id in every row."""

    question: str
    yes: Factor
    no: Factor

    def weigh(self, answers: Answers) -> Factor | None:
        answer = answers.values.get(self.question)
        if answer is True:
            return self.yes
        return self.no if answer is False else None

    def factors(self) -> tuple[Decimal, ...]:
        return self.yes.value, self.no.value


@dataclass(frozen=True, slots=True)
class Choice:
    """A factor for each option; where several are chosen, the best of them counts, or the dearest.

    Protections count at their best, activities at their dearest. `otherwise` is the factor of options not
    named here; `only_when_no` names a question that must have been answered no for this row to count.
    """

    question: str
    label: str
    options: Mapping[str, Factor]
    otherwise: Decimal | None = None
    only_when_no: str | None = None
    dearest: bool = False

    def weigh(self, answers: Answers) -> Factor | None:
        if self.only_when_no is not None and not answers.no(self.only_when_no):
            return None
        chosen = answers.values.get(self.question)
        if isinstance(chosen, str):
            return self._factor_of(chosen)
        if isinstance(chosen, tuple) and chosen:
            counts = max if self.dearest else min
            return counts((self._factor_of(option) for option in chosen), key=lambda factor: factor.value)
        return None

    def factors(self) -> tuple[Decimal, ...]:
        named = tuple(factor.value for factor in self.options.values())
        return named if self.otherwise is None else (*named, self.otherwise)

    def _factor_of(self, option: str) -> Factor:
        factor = self.options.get(option)
        if factor is not None:
            return factor
        if self.otherwise is None:
            raise LookupError(f"Question {self.question}: the tariff has no factor for {option!r}")
        return Factor(self.label, option, self.otherwise)


@dataclass(frozen=True, slots=True)
class Flagged:
    question: str
    label: str
    options: tuple[str, ...]
    factor: Decimal

    def weigh(self, answers: Answers) -> Factor | None:
        flagged = [option for option in answers.chosen(self.question) if option in self.options]
        return Factor(self.label, ", ".join(flagged), self.factor) if flagged else None

    def factors(self) -> tuple[Decimal, ...]:
        return (self.factor,)


@dataclass(frozen=True, slots=True)
class Banded:
    question: str
    label: str
    unit: str
    bands: Bands[Decimal]

    def weigh(self, answers: Answers) -> Factor | None:
        number = answers.number(self.question)
        if number is None:
            return None
        return Factor(self.label, f"{number:,} {self.unit}", self.bands.at(number))

    def factors(self) -> tuple[Decimal, ...]:
        return self.bands.values


Modifier = YesNo | Choice | Flagged | Banded


@dataclass(frozen=True, slots=True)
class ModifierGroup:
    label: str
    rows: tuple[Modifier, ...]
    floor: Decimal | None = None
    cap: Decimal | None = None

    def weigh(self, answers: Answers) -> Factor:
        components = []
        product = ONE
        for row in self.rows:
            factor = row.weigh(answers)
            if factor is not None:
                components.append(factor)
                product = EXACT.multiply(product, factor.value)
        held = self._hold(product)
        if held != product:
            reason = f"{product:.4f} held to {held}"
        else:
            reason = "As answered" if components else "Nothing answered"
        return Factor(self.label, reason, held, tuple(components))

    def _hold(self, product: Decimal) -> Decimal:
        if self.floor is not None and product < self.floor:
            return self.floor
        if self.cap is not None and product > self.cap:
            return self.cap
        return product


@dataclass(frozen=True, slots=True)
class Classes:
    unanswered: str
    factors: Mapping[str, Decimal]
    options: Mapping[str, Mapping[str, str]]

    def dearest(self, answers: Answers) -> tuple[str, str | None]:
        found, because = self.unanswered, None
        for question, class_by_option in self.options.items():
            for option in answers.chosen(question):
                candidate = class_by_option[option]
                if because is None or self.factors[candidate] > self.factors[found]:
                    found, because = candidate, option
        return found, because

    def weigh(self, answers: Answers) -> Factor:
        found, because = self.dearest(answers)
        reason = f"Class {found}: {because}" if because is not None else f"Class {found}, nothing chosen"
        return Factor("Class", reason, self.factors[found])
