import csv
from datetime import date, timedelta
from decimal import Decimal
from importlib.resources import files
from itertools import pairwise

import pytest

from bindery.domain.applicant.us_states import state_names
from bindery.domain.rating.surcharges import charge_rules, surcharges_for
from support.tables import each_row

DAY = date(2026, 12, 1)


def lines(state: str, premium: int, day: date = DAY) -> list[tuple[str, str, str]]:
    return [
        (item.title, str(item.percentage.normalize()), str(item.price))
        for item in surcharges_for(state, day, premium).items
    ]


@each_row(
    ("state", "expected", "total"),
    [
        ("IL", [("Surplus lines tax", "3.5", "65.00"), ("Stamping fee", "0.04", "1.00")], "66.00"),
        ("ID", [("Surplus lines tax", "1.5", "28.00"), ("Stamping fee", "0.5", "9.00")], "37.00"),
        ("PA", [("Surplus lines tax", "3", "55.50"), ("Stamping fee", "0", "20.00")], "75.50"),
        (
            "OR",
            [
                ("Surplus lines tax", "2", "37.00"),
                ("Oregon fire marshal tax", "0.3", "5.55"),
                ("Surplus lines service charge", "0", "10.00"),
            ],
            "52.55",
        ),
        ("IA", [("Surplus lines tax", "0.925", "17.11")], "17.11"),
        ("NY", [("Surplus lines tax", "3.6", "66.60"), ("Stamping fee", "0.15", "2.78")], "69.38"),
        ("TX", [("Surplus lines tax", "4.85", "89.73"), ("Stamping fee", "0.04", "0.74")], "90.47"),
        ("FL", [("Surplus lines tax", "4.94", "91.39"), ("FSLSO service fee", "0.06", "1.11")], "92.50"),
        (
            "KY",
            [("Surplus lines tax", "3", "55.50"), ("Kentucky premium surcharge", "1.8", "33.30")],
            "88.80",
        ),
        (
            "MS",
            [
                ("Surplus lines tax", "4", "74.00"),
                ("Stamping fee", "0.25", "4.63"),
                ("MWUA nonadmitted policy fee", "3", "55.50"),
            ],
            "134.13",
        ),
        ("NM", [("Surplus lines tax", "3.003", "55.56")], "55.56"),
        ("DC", [("Surplus lines tax", "2", "37.00")], "37.00"),
    ],
)
def test_a_premium_of_1850_dollars_is_charged_by_its_state(
    state: str, expected: list[tuple[str, str, str]], total: str
) -> None:
    assert lines(state, 1_850) == expected
    assert str(surcharges_for(state, DAY, 1_850).total) == total


@pytest.mark.parametrize(
    ("state", "premium", "tax"),
    [
        ("IL", 1_300, "46.00"),  # 45.50, half a dollar up
        ("IL", 1_299, "45.00"),  # 45.465
        ("ID", 700, "11.00"),  # 10.50, half a dollar up
        ("ID", 699, "10.00"),  # 10.485
        ("NY", 1_375, "49.50"),
        ("KS", 350, "10.50"),
    ],
)
def test_tax_is_rounded_half_up_as_the_state_wants_it(state: str, premium: int, tax: str) -> None:
    assert lines(state, premium)[0][2] == tax


def test_a_cent_is_rounded_half_up() -> None:
    assert lines("KS", 1_000)[1] == ("SLIP+ transaction fee", "0.175", "1.75")
    assert lines("KS", 1_020)[1] == ("SLIP+ transaction fee", "0.175", "1.79")  # 1.785
    assert lines("KS", 1_019)[1] == ("SLIP+ transaction fee", "0.175", "1.78")  # 1.78325


@pytest.mark.parametrize(
    ("day", "percentage", "price", "window"),
    [
        (date(2025, 1, 1), "0.95", "9.50", (date(2025, 1, 1), date(2025, 12, 31))),
        (date(2025, 12, 31), "0.95", "9.50", (date(2025, 1, 1), date(2025, 12, 31))),
        (date(2026, 1, 1), "0.925", "9.25", (date(2026, 1, 1), date(2026, 12, 31))),
        (date(2026, 12, 31), "0.925", "9.25", (date(2026, 1, 1), date(2026, 12, 31))),
        (date(2027, 1, 1), "0.9", "9.00", (date(2027, 1, 1), None)),
        (date(2031, 5, 5), "0.9", "9.00", (date(2027, 1, 1), None)),
    ],
)
def test_iowa_steps_down_with_the_year_of_the_effective_date(
    day: date, percentage: str, price: str, window: tuple[date, date | None]
) -> None:
    surcharges = surcharges_for("IA", day, 1_000)

    assert lines("IA", 1_000, day) == [("Surplus lines tax", percentage, price)]
    assert (surcharges.effective_from, surcharges.effective_until) == window


def test_a_fee_that_starts_in_the_middle_ends_the_window_before_it() -> None:
    before = surcharges_for("LA", date(2026, 6, 30), 1_000)
    after = surcharges_for("LA", date(2026, 7, 1), 1_000)

    assert [str(item.price) for item in before.items] == ["48.50"]
    assert (before.effective_from, before.effective_until) == (date(2025, 1, 1), date(2026, 6, 30))
    assert [str(item.price) for item in after.items] == ["48.50", "1.75"]
    assert (after.effective_from, after.effective_until) == (date(2026, 7, 1), None)


@pytest.mark.parametrize(
    ("state", "first"), [("AL", date(2026, 1, 1)), ("KS", date(2026, 1, 1)), ("MT", date(2026, 1, 1))]
)
def test_fees_of_2026_are_not_charged_on_policies_of_2025(state: str, first: date) -> None:
    assert len(surcharges_for(state, first, 1_000).items) == 2
    assert len(surcharges_for(state, first - timedelta(days=1), 1_000).items) == 1


def test_a_day_before_the_file_begins_is_refused_and_not_free_of_tax() -> None:
    assert surcharges_for("AZ", date(2025, 1, 1), 1_000).total == Decimal("32.00")
    with pytest.raises(LookupError, match="No surplus lines tax of AZ is on file for 2024-12-31"):
        surcharges_for("AZ", date(2024, 12, 31), 1_000)


@pytest.mark.parametrize("state", ["PR", "XX", "il", ""])
def test_a_place_that_is_no_state_is_refused(state: str) -> None:
    with pytest.raises(LookupError):
        surcharges_for(state, DAY, 1_000)


@each_row("state", sorted(state_names()))
def test_every_state_is_charged_on_every_day_from_2025_on(state: str) -> None:
    for day in (date(2025, 1, 1), date(2025, 12, 31), date(2026, 1, 1), DAY, date(2030, 1, 1)):
        surcharges = surcharges_for(state, day, 10_000)

        assert surcharges.total == sum(item.price for item in surcharges.items)
        assert Decimal(90) <= surcharges.total <= Decimal(725)
        assert surcharges.items[0].title == "Surplus lines tax"
        assert surcharges.effective_from <= day
        assert surcharges.effective_until is None or day <= surcharges.effective_until
        assert all(item.price == item.price.quantize(Decimal("0.01")) for item in surcharges.items)


def test_the_file_knows_the_51_states_and_no_other() -> None:
    assert set(charge_rules()) == set(state_names())
    assert len(charge_rules()) == 51


def test_a_charge_is_never_in_force_twice() -> None:
    for rules in charge_rules().values():
        for title in {rule.title for rule in rules}:
            of_title = [rule for rule in rules if rule.title == title]
            for before, after in pairwise(of_title):
                assert before.effective_until == after.effective_from - timedelta(days=1)
            assert of_title[-1].effective_until is None


def test_every_charge_says_where_it_was_found_and_how_sure_that_is() -> None:
    with files("bindery").joinpath("data", "state_charges.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    assert len(rows) == 82
    assert all(row["source"] for row in rows)
    assert {row["confidence"] for row in rows} == {"high", "medium"}
    assert {row["rounding"] for row in rows if row["state"] in {"IL", "ID"}} == {"dollar"}
    assert {row["rounding"] for row in rows if row["state"] not in {"IL", "ID"}} == {"cent"}
