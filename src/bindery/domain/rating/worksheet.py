"""How a premium came about, step by step; the steps multiply exactly to it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any, Final

from bindery.base.money import to_cents, to_whole_dollars
from bindery.contract.vocabulary import InsuranceProduct

EXACT: Final = Context(prec=200, traps=[Inexact, InvalidOperation])
"""Wide enough for every product of factors, and it raises sooner than round one."""

SHARES: Final = Context(prec=28)
"""For the division of a premium among its parts, which may never end."""

ONE: Final = Decimal(1)

Plain = Mapping[str, Any]
"""A worksheet as JSON knows it: texts, whole numbers, lists and mappings; decimals are texts."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One number of the price and why it is that; a group of answers has them as its components."""

    label: str
    reason: str
    value: Decimal
    components: tuple["Factor", ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A factor in its place, and what the amount had come to after it."""

    entry: Factor
    running: Decimal

    @property
    def label(self) -> str:
        """Return the name of the factor."""
        return self.entry.label

    @property
    def reason(self) -> str:
        """Return the fact that the factor follows from."""
        return self.entry.reason

    @property
    def factor(self) -> Decimal:
        """Return the number that the amount was multiplied by."""
        return self.entry.value

    @property
    def components(self) -> tuple[Factor, ...]:
        """Return the single factors that a group was made from, before it was held."""
        return self.entry.components


@dataclass(frozen=True, slots=True)
class Part:
    """One product of factors; TEO adds two of them up."""

    title: str
    terrorism_share: Decimal
    steps: tuple[Step, ...]

    @property
    def amount(self) -> Decimal:
        """Return what the steps come to, unrounded."""
        return self.steps[-1].running


@dataclass(frozen=True, slots=True)
class Worksheet:
    """The whole price of one option, with the tariff it was made by."""

    product: InsuranceProduct
    tariff_edition: str
    tariff_fingerprint: str
    parts: tuple[Part, ...]
    minimum: int
    premium: int

    @property
    def amount(self) -> Decimal:
        """Return what the parts add up to, unrounded and before the minimum premium."""
        return add_up(part.amount for part in self.parts)

    @property
    def minimum_applied(self) -> bool:
        """Whether the minimum premium took the place of the amount."""
        return self.amount < self.minimum

    @property
    def terrorism(self) -> Decimal:
        """Return the part of the premium that is for terrorism, to the cent."""
        return self.terrorism_within(self.premium)

    def terrorism_within(self, premium: int) -> Decimal:
        """Return the terrorism portion of another premium for the same cover, such as an underwriter's."""
        portion, amount = Decimal(0), self.amount
        for part in self.parts:
            share = SHARES.multiply(part.terrorism_share, SHARES.divide(part.amount, amount))
            portion = SHARES.fma(share, Decimal(premium), portion)
        return to_cents(portion)


def add_up(amounts: Iterable[Decimal]) -> Decimal:
    """Add amounts without rounding."""
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


def rounded_premium(amount: Decimal, minimum: int) -> int:
    """Return the premium: the amount or the minimum, rounded once."""
    return to_whole_dollars(max(amount, Decimal(minimum)))


def multiplies_out(worksheet: Worksheet) -> bool:
    """Whether the factors, multiplied again in their order, give every amount and the premium."""
    for part in worksheet.parts:
        running = ONE
        for step in part.steps:
            running = EXACT.multiply(running, step.factor)
            if running != step.running:
                return False
    return worksheet.premium == rounded_premium(worksheet.amount, worksheet.minimum)


def worksheet_to_plain(worksheet: Worksheet) -> dict[str, object]:
    """Write a worksheet as JSON can hold it; what follows from the rest is written too, for its readers."""
    return {
        "product": worksheet.product.value,
        "tariff_edition": worksheet.tariff_edition,
        "tariff_fingerprint": worksheet.tariff_fingerprint,
        "parts": [
            {
                "title": part.title,
                "terrorism_share": str(part.terrorism_share),
                "steps": [_step_to_plain(step) for step in part.steps],
                "amount": str(part.amount),
            }
            for part in worksheet.parts
        ],
        "amount": str(worksheet.amount),
        "minimum": worksheet.minimum,
        "minimum_applied": worksheet.minimum_applied,
        "premium": worksheet.premium,
        "terrorism": str(worksheet.terrorism),
    }


def worksheet_from_plain(plain: Plain) -> Worksheet:
    """Read a worksheet that `worksheet_to_plain` wrote."""
    return Worksheet(
        product=InsuranceProduct(plain["product"]),
        tariff_edition=plain["tariff_edition"],
        tariff_fingerprint=plain["tariff_fingerprint"],
        parts=tuple(
            Part(
                title=part["title"],
                terrorism_share=Decimal(part["terrorism_share"]),
                steps=tuple(_step_from_plain(step) for step in part["steps"]),
            )
            for part in plain["parts"]
        ),
        minimum=plain["minimum"],
        premium=plain["premium"],
    )


def _step_to_plain(step: Step) -> dict[str, object]:
    return {
        "label": step.label,
        "reason": step.reason,
        "factor": str(step.factor),
        "running": str(step.running),
        "components": [
            {"label": component.label, "reason": component.reason, "factor": str(component.value)}
            for component in step.components
        ],
    }


def _step_from_plain(plain: Plain) -> Step:
    components = tuple(_factor_from_plain(component) for component in plain["components"])
    return Step(_factor_from_plain(plain, components), running=Decimal(plain["running"]))


def _factor_from_plain(plain: Plain, components: tuple[Factor, ...] = ()) -> Factor:
    return Factor(plain["label"], plain["reason"], Decimal(plain["factor"]), components)
