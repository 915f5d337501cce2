from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.policy import (
    check_digit,
    earned_premium,
    minimum_earned,
    occupied_days,
    policy_number,
    renewed_number,
)
from bindery.domain.products import Line, products_of, record_of

CYB, TEO, MPL, *_ = InsuranceProduct
YEAR = Term(date(2026, 1, 1), date(2027, 1, 1))
companies = st.integers(100_000_000, 999_999_999)
products = st.sampled_from(InsuranceProduct)
nine_digits = st.text("0123456789", min_size=9, max_size=9)
days = st.dates(date(2000, 1, 1), date(2200, 1, 1))


def luhn_sum(digits: str) -> int:
    """The textbook's sum over a number with its check digit; 0 modulo 10 where the number is good."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total


def test_a_number_is_made_of_product_year_sequence_check_digit_and_suffix() -> None:
    assert policy_number(CYB, date(2026, 12, 31), 1234) == "CYB-26-0001234-4-00"
    assert policy_number(MPL, date(2105, 1, 1), 9_999_999) == "MPL-05-9999999-2-00"


def test_a_well_known_number_has_its_well_known_check_digit() -> None:
    assert check_digit("7992739871") == 3


@given(st.integers(1, 9_999_999), days)
def test_the_check_digit_completes_the_sum(sequence: int, effective: date) -> None:
    _, year, number, digit, _ = policy_number(TEO, effective, sequence).split("-")

    assert luhn_sum(year + number + digit) % 10 == 0


@given(nine_digits, st.integers(0, 8), st.integers(1, 9))
def test_a_mistyped_digit_shows(digits: str, place: int, by: int) -> None:
    wrong = digits[:place] + str((int(digits[place]) + by) % 10) + digits[place + 1 :]

    assert check_digit(wrong) != check_digit(digits)


@given(nine_digits, st.integers(0, 7))
def test_two_swapped_digits_show_unless_they_are_nine_and_zero(digits: str, place: int) -> None:
    first, second = digits[place], digits[place + 1]
    swapped = digits[:place] + second + first + digits[place + 2 :]

    if first != second and {first, second} != {"0", "9"}:
        assert check_digit(swapped) != check_digit(digits)


def test_a_renewal_keeps_the_number_and_counts_on() -> None:
    numbers = [policy_number(CYB, date(2026, 6, 1), 1)]
    for _ in range(11):
        numbers.append(renewed_number(numbers[-1]))

    assert numbers[0] == "CYB-26-0000001-8-00"
    assert numbers[1] == "CYB-26-0000001-8-01"
    assert numbers[11] == "CYB-26-0000001-8-11"


def test_the_hundredth_renewal_still_has_a_number_of_its_own() -> None:
    assert renewed_number("CYB-26-0000001-8-99") == "CYB-26-0000001-8-100"


def test_technology_includes_cyber_so_they_are_one_line() -> None:
    assert {line: products_of(line) for line in Line} == {Line.CYBER: (CYB, TEO), Line.PROFESSIONAL: (MPL,)}


@given(companies, companies, products, products, days, days, st.integers(1, 600), st.integers(1, 600))
def test_occupied_days_meet_only_for_one_company_line_and_day(
    company: int,
    other: int,
    product: InsuranceProduct,
    its_product: InsuranceProduct,
    start: date,
    its_start: date,
    length: int,
    its_length: int,
) -> None:
    end, its_end = start + timedelta(days=length), its_start + timedelta(days=its_length)
    first, last = occupied_days(company, product, start, end)
    its_first, its_last = occupied_days(other, its_product, its_start, its_end)

    meet = first < its_last and its_first < last

    share = start < its_end and its_start < end
    assert meet == (company == other and record_of(product).line is record_of(its_product).line and share)


@given(companies, products, days, st.integers(180, 560))
def test_a_term_touches_the_next_one_without_meeting_it(
    company: int, product: InsuranceProduct, start: date, length: int
) -> None:
    end = start + timedelta(days=length)

    before = occupied_days(company, product, start, end)
    after = occupied_days(company, product, end, end + timedelta(days=365))

    assert before[1] == after[0]


def test_neighboring_companies_and_lines_do_not_meet_at_the_ends_of_time() -> None:
    first, last = date.min, date.max
    ranges = [
        occupied_days(company, product, first, last)
        for company in (100_000_000, 100_000_001, 999_999_998, 999_999_999)
        for product in (CYB, MPL)
    ]

    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    assert ranges[-1][1] < 2**63


@pytest.mark.parametrize(
    ("canceled_on", "returned"),
    [
        # Cover never began: nothing is earned.
        (date(2025, 12, 31), 1_000),
        (date(2026, 1, 1), 1_000),
        # A quarter is earned once it has: after its first day, and up to a quarter of the term.
        (date(2026, 1, 2), 750),
        (date(2026, 4, 2), 750),
        # 92 of 365 days: $252.05 is earned.
        (date(2026, 4, 3), 748),
        # 181 of 365 days: $495.89 is earned.
        (date(2026, 7, 1), 504),
        (date(2026, 12, 31), 3),
        (date(2027, 1, 1), 0),
    ],
)
def test_a_cancellation_gives_back_the_days_not_used_but_earns_a_quarter(
    canceled_on: date, returned: int
) -> None:
    assert 1_000 - earned_premium(1_000, YEAR, canceled_on, has_minimum=True) == returned


@pytest.mark.parametrize(
    ("canceled_on", "earned"),
    [
        (date(2026, 1, 1), 0),
        (date(2026, 1, 2), 3),
        (date(2026, 4, 2), 249),
        (date(2026, 4, 3), 252),
        (date(2026, 12, 31), 997),
        (date(2027, 1, 1), 1_000),
    ],
)
def test_without_a_minimum_the_days_alone_are_earned(canceled_on: date, earned: int) -> None:
    assert earned_premium(1_000, YEAR, canceled_on, has_minimum=False) == earned


def test_a_leap_year_has_a_day_more_to_earn_in() -> None:
    leap = Term(date(2028, 1, 1), date(2029, 1, 1))

    # 183 of 366 days, exactly half.
    assert earned_premium(1_001, leap, date(2028, 7, 2), has_minimum=True) == 501
    assert earned_premium(1_000, leap, date(2028, 7, 2), has_minimum=True) == 500


def test_eighteen_months_are_earned_over_all_their_days() -> None:
    term = Term(date(2026, 1, 1), date(2027, 7, 1))

    # 182 of 546 days, exactly a third; the minimum is that of the whole premium.
    assert earned_premium(2_273, term, date(2026, 7, 2), has_minimum=True) == 758
    assert earned_premium(2_273, term, date(2026, 1, 2), has_minimum=True) == 568
    assert earned_premium(2_273, term, date(2027, 6, 30), has_minimum=True) == 2_269


@pytest.mark.parametrize(("premium", "least"), [(1_567, 392), (3_077, 769), (1_536, 384), (2, 1), (0, 0)])
def test_the_minimum_is_in_whole_dollars(premium: int, least: int) -> None:
    assert minimum_earned(premium) == least


@given(st.integers(0, 10_000_000), st.integers(181, 550), st.booleans(), st.data())
def test_what_is_earned_grows_by_the_day_and_never_falls_below_the_minimum(
    premium: int, length: int, has_minimum: bool, data: st.DataObject
) -> None:
    term = Term(date(2026, 1, 1), date(2026, 1, 1) + timedelta(days=length))
    used = data.draw(st.integers(1, length - 1))

    earlier = earned_premium(premium, term, term.effective + timedelta(days=used), has_minimum=has_minimum)
    later = earned_premium(premium, term, term.effective + timedelta(days=used + 1), has_minimum=has_minimum)

    assert (minimum_earned(premium) if has_minimum else 0) <= earlier <= later <= premium
    assert earned_premium(premium, term, term.expiration, has_minimum=has_minimum) == premium
    assert earned_premium(premium, term, term.effective, has_minimum=has_minimum) == 0
