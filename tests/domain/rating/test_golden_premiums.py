"""The neutral price list: no answers, hazard group 3, E&O class B, MPL class 2, twelve months, Ohio."""

from decimal import Decimal

import pytest

from domain.rating.rating_cases import CYB, MPL, TEO, factor, price, risk_of, terms_of

COLUMNS = (
    (CYB, 1_000_000, 2_500),
    (CYB, 1_000_000, 10_000),
    (CYB, 3_000_000, 10_000),
    (CYB, 5_000_000, 25_000),
    (TEO, 1_000_000, 2_500),
    (TEO, 2_000_000, 10_000),
    (MPL, 1_000_000, 2_500),
    (MPL, 2_000_000, 10_000),
)
# 1,646.50, 2,269.50 and 35,644.50 are exact half dollars, and go up.
ROWS = {
    250_000: (880, 783, 1_394, 1_900, 1_898, 2_500, 700, 883),
    500_000: (1_080, 961, 1_711, 1_988, 2_402, 3_167, 950, 1_199),
    1_000_000: (1_350, 1_202, 2_139, 2_485, 3_177, 4_195, 1_400, 1_767),
    2_500_000: (1_850, 1_647, 2_931, 3_405, 5_187, 6_873, 2_700, 3_407),
    5_000_000: (2_550, 2_270, 4_040, 4_694, 8_201, 10_893, 4_600, 5_805),
    10_000_000: (3_800, 3_382, 6_020, 6_995, 13_376, 17_792, 7_900, 9_969),
    25_000_000: (7_400, 6_586, 11_723, 13_621, 27_548, 36_674, 16_500, 20_822),
    50_000_000: (13_000, 11_570, 20_595, 23_929, 48_760, 64_919, 29_000, 36_597),
    100_000_000: (22_500, 20_025, 35_645, 41_416, 84_950, 113_113, 51_000, 64_359),
}


@pytest.mark.parametrize("revenue", ROWS)
def test_the_neutral_price_list_holds(revenue: int) -> None:
    premiums = tuple(
        price(risk_of(product, revenue=revenue), terms_of(product, limit, retention)).premium
        for product, limit, retention in COLUMNS
    )

    assert premiums == ROWS[revenue]


def test_only_the_minimum_premium_lifts_the_smallest_firm_at_five_million() -> None:
    worksheet = price(risk_of(CYB, revenue=250_000), terms_of(CYB, 5_000_000, 25_000))

    assert worksheet.premium == worksheet.minimum == 1_900
    assert worksheet.minimum_applied
    assert worksheet.amount == Decimal("1619.816")


@pytest.mark.parametrize(("limit", "premium"), [(250_000, 601), (500_000, 865), (1_000_000, 1_202)])
def test_smaller_limits_cost_what_the_anchor_says(limit: int, premium: int) -> None:
    assert price(risk_of(CYB), terms_of(CYB, limit, 10_000)).premium == premium


def test_a_large_public_body_costs_what_the_anchor_says() -> None:
    worksheet = price(risk_of(CYB, revenue=650_000_000), terms_of(CYB, 1_000_000, 100_000), hazard_group=6)

    assert worksheet.premium == 111_484


def test_technology_firms_pay_for_hazard_group_four_whatever_their_industry() -> None:
    premiums = {price(risk_of(TEO), hazard_group=group).premium for group in (1, 6)}

    assert premiums == {3_177}
    assert str(factor(price(risk_of(TEO), hazard_group=1), "Hazard")) == "1.2"
