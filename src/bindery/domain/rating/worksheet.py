"""How a premium was worked out, step by step; the steps multiply to it exactly."""

from collections.abc import Iterable, Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any, Final

import msgspec

from bindery.base.numbers import to_cents, to_whole_dollars
from bindery.contract.vocabulary import InsuranceProduct

EXACT: Final = Context(prec=200, traps=[Inexact, InvalidOperation])
"""Wide enough for every product of factors; it raises rather than round one."""

SHARES: Final = Context(prec=28)
"""For the division of a premium among its parts, which may never end."""

ONE: Final = Decimal(1)


class Factor(msgspec.Struct, frozen=True, omit_defaults=True):
    """One number of the price and its reason; a group of answers has them as its components."""

    label: str
    reason: str
    value: Decimal = msgspec.field(name="factor")
    components: tuple["Factor", ...] = ()


class WorksheetStep(msgspec.Struct, frozen=True):
    """A factor in its place, and the amount after it; a group keeps its components before it was held."""

    label: str
    reason: str
    factor: Decimal
    running: Decimal
    components: tuple[Factor, ...]


class Part(msgspec.Struct, frozen=True):
    """One product of factors; TEO adds two of them up."""

    title: str
    terrorism_share: Decimal
    steps: tuple[WorksheetStep, ...]

    @property
    def amount(self) -> Decimal:
        return self.steps[-1].running


class Worksheet(msgspec.Struct, frozen=True):
    product: InsuranceProduct
    tariff_edition: str
    tariff_fingerprint: str
    parts: tuple[Part, ...]
    minimum: int
    premium: int

    @property
    def amount(self) -> Decimal:
        """Return the sum of the parts, unrounded and before the minimum premium."""
        return add_up(part.amount for part in self.parts)

    @property
    def minimum_applied(self) -> bool:
        return self.amount < self.minimum

    @property
    def terrorism(self) -> Decimal:
        return self.terrorism_within(self.premium)

    def terrorism_within(self, premium: int) -> Decimal:
        """Return the terrorism portion of another premium for the same cover, such as an underwriter's."""
        portion, amount = Decimal(0), self.amount
        for part in self.parts:
            share = SHARES.multiply(part.terrorism_share, SHARES.divide(part.amount, amount))
            portion = SHARES.fma(share, Decimal(premium), portion)
        return to_cents(portion)


def add_up(amounts: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


def rounded_premium(amount: Decimal, minimum: int) -> int:
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


def worksheet_to_plain(worksheet: Worksheet) -> dict[str, Any]:
    """Write a worksheet as JSON can hold it, with the derived amounts for its readers."""
    plain: dict[str, Any] = msgspec.to_builtins(worksheet)
    for part, written in zip(worksheet.parts, plain["parts"], strict=True):
        written["amount"] = str(part.amount)
    return {
        **plain,
        "amount": str(worksheet.amount),
        "minimum_applied": worksheet.minimum_applied,
        "terrorism": str(worksheet.terrorism),
    }


def worksheet_from_plain(plain: Mapping[str, Any]) -> Worksheet:
    return msgspec.convert(plain, Worksheet)
