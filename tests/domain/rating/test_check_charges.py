"""Faults of the state charges."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from bindery.domain.rating.check_tariff import check_charges
from bindery.domain.rating.surcharges import ChargeRule, Refundable, charge_rules

TAX = ChargeRule(
    state="PA",
    kind="tax",
    title="Surplus lines tax",
    percentage=Decimal("3.0"),
    flat=Decimal(0),
    effective_from=date(2025, 1, 1),
    effective_until=None,
    rounding="cent",
    refundable=Refundable.YES,
    source="",
    confidence="",
)


def faults_of(*charges: ChargeRule) -> list[str]:
    return check_charges({**charge_rules(), "PA": charges})


def test_the_charges_that_come_with_the_program_are_good() -> None:
    assert check_charges(charge_rules()) == []
    assert len(charge_rules()) == 51


def test_a_state_without_charges_is_named() -> None:
    rest = {state: rules for state, rules in charge_rules().items() if state != "WY"}

    assert check_charges(rest) == ["WY: has no charges"]


def test_what_is_no_state_is_named() -> None:
    assert check_charges({**charge_rules(), "XX": (TAX,)}) == ["XX: is not a state"]


def test_fees_alone_are_no_tax() -> None:
    assert faults_of(replace(TAX, kind="stamping")) == ["PA: has no tax"]


def test_amounts_that_make_no_sense_are_named() -> None:
    nothing = replace(TAX, percentage=Decimal(0))
    negative = replace(TAX, flat=Decimal(-1))

    wanted = ["PA: Surplus lines tax: must be a percentage or an amount above zero"]
    assert faults_of(nothing) == wanted
    assert faults_of(negative) == wanted
    assert faults_of(replace(nothing, flat=Decimal("0.01"))) == []


def test_a_rounding_that_is_not_known_is_named() -> None:
    assert faults_of(replace(TAX, rounding="dime")) == [
        "PA: Surplus lines tax: the rounding dime is not known"
    ]


def test_a_charge_may_last_a_day_and_no_less() -> None:
    one_day = replace(TAX, effective_until=TAX.effective_from)
    none = replace(TAX, effective_until=date(2024, 12, 31))
    after = replace(TAX, effective_from=date(2025, 1, 2))

    assert faults_of(one_day, after) == []
    assert "PA: Surplus lines tax: ends before it begins" in faults_of(none)


def test_taxes_follow_each_other_without_a_gap_or_an_overlap() -> None:
    first = replace(TAX, effective_until=date(2025, 12, 31))

    assert faults_of(first, replace(TAX, effective_from=date(2026, 1, 1))) == []
    assert faults_of(first, replace(TAX, effective_from=date(2026, 1, 2))) == [
        "PA: no tax is in force on 2026-01-01"
    ]
    assert faults_of(first, replace(TAX, effective_from=date(2025, 12, 31))) == [
        "PA: Surplus lines tax: is twice in force on 2025-12-31"
    ]


def test_a_tax_that_ends_for_good_is_named() -> None:
    assert faults_of(replace(TAX, effective_until=date(2027, 6, 30))) == [
        "PA: no tax is in force after 2027-06-30"
    ]
