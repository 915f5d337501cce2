"""Surplus lines taxes and fees of the 51 states, by the effective date, from the rounded premium."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from bindery.base.numbers import to_cents, to_whole_dollars
from bindery.domain.editions import packaged_rows

ONE_DAY: Final = timedelta(days=1)
PER_CENT: Final = Decimal(100)
TAX: Final = "tax"


class Refundable(StrEnum):
    """Whether a state's charge is returned with the premium it was charged on."""

    YES = "yes"
    NO = "no"
    FLAT_CANCEL_ONLY = "flat_cancel_only"


@dataclass(frozen=True, slots=True)
class ChargeRule:
    state: str
    kind: str
    title: str
    percentage: Decimal
    flat: Decimal
    effective_from: date
    effective_until: date | None
    rounding: str
    refundable: Refundable
    source: str
    confidence: str

    def is_in_force(self, day: date) -> bool:
        return self.effective_from <= day and (self.effective_until is None or day <= self.effective_until)

    def price(self, premium: int) -> Decimal:
        return ROUNDINGS[self.rounding](premium * self.percentage / PER_CENT + self.flat)

    def returned(self, charged: "Surcharge", returned_premium: int, *, is_flat: bool) -> Decimal:
        """Return the part of a charge that goes back with a part of its premium.

        `is_flat` is a cancellation from the first day. What is in proportion to the premium is returned at
        the rate at which it was charged; a fixed fee is returned whole or not at all.
        """
        if self.refundable is Refundable.NO:
            return Decimal(0)
        if is_flat:
            return charged.price
        if self.refundable is Refundable.FLAT_CANCEL_ONLY or not charged.percentage:
            return Decimal(0)
        return min(charged.price, ROUNDINGS[self.rounding](returned_premium * charged.percentage / PER_CENT))


@dataclass(frozen=True, slots=True)
class Surcharge:
    """One line beneath the premium; a flat fee has a percentage of zero."""

    title: str
    percentage: Decimal
    price: Decimal


@dataclass(frozen=True, slots=True)
class Surcharges:
    """The charges on a premium, and the effective dates for which this set of charges holds."""

    items: tuple[Surcharge, ...]
    total: Decimal
    effective_from: date
    effective_until: date | None


def surcharges_for(state: str, effective: date, premium: int) -> Surcharges:
    """Work out a state's charges on a rounded premium, as they are on the effective date.

    Raises:
        LookupError: the state is unknown, or no tax of it is on file for that day.
    """
    rules = charge_rules()[state]
    in_force = [rule for rule in rules if rule.is_in_force(effective)]
    # A fee alone means that our file does not reach back so far, not that the state took no tax.
    if not any(rule.kind == TAX for rule in in_force):
        raise LookupError(f"No surplus lines tax of {state} is on file for {effective}")
    items = tuple(Surcharge(rule.title, rule.percentage, rule.price(premium)) for rule in in_force)
    changes = _days_of_change(rules)
    return Surcharges(
        items=items,
        total=sum((item.price for item in items), start=Decimal(0)),
        effective_from=max(day for day in changes if day <= effective),
        effective_until=min((day - ONE_DAY for day in changes if day > effective), default=None),
    )


def charges_returned(
    state: str, charges: Iterable[Surcharge], returned_premium: int, *, is_flat: bool
) -> tuple[Surcharge, ...]:
    """Return what goes back of each charge; one that the file does not know stays with the state."""
    rules = {rule.title: rule for rule in charge_rules().get(state, ())}
    return tuple(
        replace(
            charge,
            price=rules[charge.title].returned(charge, returned_premium, is_flat=is_flat)
            if charge.title in rules
            else Decimal(0),
        )
        for charge in charges
    )


def charges_added(state: str, charges: Iterable[Surcharge], premium: int) -> tuple[Surcharge, ...]:
    """Return the charges on more premium for a policy, at its own rates; a flat fee is taken once."""
    roundings = {rule.title: ROUNDINGS[rule.rounding] for rule in charge_rules().get(state, ())}
    return tuple(
        replace(
            charge,
            price=roundings.get(charge.title, to_cents)(premium * charge.percentage / PER_CENT),
        )
        for charge in charges
    )


def charges_saved(state: str, charges: Iterable[Surcharge], *, premium: Decimal, without: Decimal) -> Decimal:
    """Return how much less a state's charges are on a smaller premium; a flat fee stays."""
    roundings = {rule.title: ROUNDINGS[rule.rounding] for rule in charge_rules()[state]}
    return sum(
        (
            rounded(premium * charge.percentage / PER_CENT) - rounded(without * charge.percentage / PER_CENT)
            for charge in charges
            for rounded in (roundings.get(charge.title, to_cents),)
        ),
        start=Decimal(0),
    )


@lru_cache(maxsize=1)
def charge_rules() -> Mapping[str, tuple[ChargeRule, ...]]:
    rules: dict[str, tuple[ChargeRule, ...]] = {}
    for row in packaged_rows("state_charges.csv"):
        until = row["effective_until"] or None
        rule = msgspec.convert({**row, "flat": row["flat_usd"], "effective_until": until}, ChargeRule)
        rules[rule.state] = (*rules.get(rule.state, ()), rule)
    return MappingProxyType(rules)


def _days_of_change(rules: tuple[ChargeRule, ...]) -> set[date]:
    starts = {rule.effective_from for rule in rules}
    ends = {rule.effective_until + ONE_DAY for rule in rules if rule.effective_until is not None}
    return starts | ends


def _to_dollars(amount: Decimal) -> Decimal:
    return to_cents(Decimal(to_whole_dollars(amount)))


ROUNDINGS: Final[Mapping[str, Callable[[Decimal], Decimal]]] = MappingProxyType(
    {
        "cent": to_cents,
        "dollar": _to_dollars,
    }
)
