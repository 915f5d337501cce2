"""What an underwriter goes beyond only with a reason, and what takes a second yes."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from bindery.base.errors import InvalidRequest
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import OptionAsk, Risk, Terms
from bindery.domain.quote.guidelines import (
    Breach,
    Guideline,
    breaches_of,
    check_guidelines,
    deviation_in_words,
    deviation_of,
    in_percent,
)
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from support.applicants import SUBMISSION

TARIFF = tariff_in_force(date(2026, 11, 18))
LEAST = TARIFF.minimum_premiums[InsuranceProduct.CYB][1_000_000]


def a_risk(revenue: int = 5_000_000) -> Risk:
    return applicant_of(replace(SUBMISSION, revenue=revenue)).risk


def terms(retention: int = 10_000, limit: int = 1_000_000) -> Terms:
    return replace(OptionAsk(aggregate_limit=limit).as_terms(), aggregate_retention=retention)


def found(
    premium: int, rated: int | None, of: Terms | None = None, revenue: int = 5_000_000
) -> list[Guideline]:
    breaches = breaches_of(TARIFF, a_risk(revenue), of or terms(), premium, rated=rated)
    return [breach.guideline for breach in breaches]


def test_a_premium_is_held_to_the_minimum_of_its_limit_on_both_sides() -> None:
    assert found(LEAST - 1, LEAST) == [Guideline.MINIMUM_PREMIUM]
    assert found(LEAST, LEAST) == []


@pytest.mark.parametrize(
    ("premium", "beyond"), [(3_000, False), (2_999, True), (5_000, False), (5_001, True), (4_000, False)]
)
def test_more_than_a_quarter_off_the_tariff_is_beyond_the_guidelines(premium: int, *, beyond: bool) -> None:
    assert (Guideline.DEVIATION in found(premium, 4_000)) is beyond


def test_nothing_is_compared_with_a_tariff_that_has_no_price() -> None:
    assert found(40_000, None) == []
    assert deviation_of(40_000, None) is None


def test_a_retention_is_held_to_the_lowest_for_the_revenue_and_to_a_share_of_the_limit() -> None:
    lowest = TARIFF.aggregate_retention.minimum.at(60_000_000)

    assert found(4_000, 4_000, terms(lowest), 60_000_000) == []
    assert found(4_000, 4_000, terms(2_500), 60_000_000) == [Guideline.LOWEST_RETENTION]
    assert found(4_000, 4_000, terms(250_000)) == []
    assert found(4_000, 4_000, terms(500_000)) == [Guideline.LARGEST_SHARE]


def test_a_breach_says_both_figures() -> None:
    (breach,) = breaches_of(TARIFF, a_risk(), terms(), LEAST - 1, rated=LEAST)

    assert breach.text == f"${LEAST - 1:,} is below the minimum premium of ${LEAST:,}"


@pytest.mark.parametrize(
    ("deviation", "text"),
    [
        (Decimal(-18), "18 % below the tariff"),
        (Decimal("12.25"), "12.2 % above the tariff"),
        (Decimal("-0.01"), "less than 0.1 % below the tariff"),
    ],
)
def test_a_deviation_is_said_with_its_side(deviation: Decimal, text: str) -> None:
    assert deviation_in_words(deviation) == text


def test_whole_percents_have_no_decimal() -> None:
    assert [in_percent(Decimal(share)) for share in ("0", "50", "100", "33.33")] == [
        "0 %", "50 %", "100 %", "33.3 %",
    ]  # fmt: skip


LIGHT = Breach(Guideline.LOWEST_RETENTION, "too low")
GRAVE = Breach(Guideline.MINIMUM_PREMIUM, "too cheap")


@pytest.mark.parametrize(
    ("breaches", "reason", "is_sure", "refused"),
    [
        ((), "", False, []),
        ((LIGHT,), "", True, ["reason"]),
        ((LIGHT,), "Known", False, []),
        ((GRAVE,), "Known", False, ["sure"]),
        ((GRAVE, LIGHT), " ", False, ["reason", "sure"]),
        ((GRAVE,), "Known", True, []),
        # No person decided on a page.
        ((GRAVE,), "", None, []),
    ],
)
def test_what_is_beyond_takes_a_reason_and_what_is_far_beyond_a_second_yes(
    breaches: tuple[Breach, ...], reason: str, *, is_sure: bool | None, refused: list[str]
) -> None:
    if not refused:
        check_guidelines(breaches, reason=reason, is_sure=is_sure)
        return
    with pytest.raises(InvalidRequest) as fault:
        check_guidelines(breaches, reason=reason, is_sure=is_sure)
    assert [problem.path for problem in fault.value.problems] == refused
