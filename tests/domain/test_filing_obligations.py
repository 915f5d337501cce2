"""What is owed of a ledger: amounts by period, installments and prepayments, and what nobody knows."""

import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from bindery.domain.filings import business_days
from bindery.domain.filings.obligations import FilingStanding, Mark, MonthSum, Obligation, obligations
from bindery.domain.filings.rules import filing_rules

TAX = "Surplus lines tax"


def booked(state: str, month: str, tax: str, *, is_new: bool = True, **charges: str) -> MonthSum:
    amounts = {TAX: Decimal(tax)} | {
        title.replace("_", " "): Decimal(amount) for title, amount in charges.items()
    }
    return MonthSum(
        state=state,
        month=date.fromisoformat(f"{month}-01"),
        is_new=is_new,
        count=1,
        premium=1_000,
        charges=amounts,
    )


def owed(
    sums: Iterable[MonthSum], *, today: str, until: str = "2030-01-01", marks: Iterable[Mark] = ()
) -> list[Obligation]:
    return obligations(
        filing_rules(), sums, marks, today=date.fromisoformat(today), until=date.fromisoformat(until)
    )


def of(state: str, found: Iterable[Obligation], code: str = "tax") -> dict[str, Obligation]:
    return {str(one.period): one for one in found if (one.rule.state, one.rule.code) == (state, code)}


def test_a_period_has_what_was_booked_in_its_months() -> None:
    sums = [
        booked("GA", "2026-03", "10.00"),
        booked("GA", "2026-04", "1.00"),
        booked("GA", "2026-06", "-0.25", is_new=False),
        booked("GA", "2026-07", "5.00"),
    ]

    found = of("GA", owed(sums, today="2026-07-16", until="2026-10-15"))

    assert {name: (one.due, one.amount, one.count, one.standing) for name, one in found.items()} == {
        "2026-Q1": (date(2026, 4, 15), Decimal("10.00"), 1, FilingStanding.OVERDUE),
        "2026-Q2": (date(2026, 7, 15), Decimal("0.75"), 2, FilingStanding.OVERDUE),
        "2026-Q3": (date(2026, 10, 15), Decimal("5.00"), 1, FilingStanding.OPEN),
    }
    assert found["2026-Q2"].days_left == -1


def test_it_is_due_until_its_day_is_over_and_open_until_its_period_is() -> None:
    sums = [booked("GA", "2026-04", "1.00")]

    for today, standing in (
        ("2026-06-30", FilingStanding.OPEN),
        ("2026-07-01", FilingStanding.DUE),
        ("2026-07-15", FilingStanding.DUE),
        ("2026-07-16", FilingStanding.OVERDUE),
    ):
        assert of("GA", owed(sums, today=today))["2026-Q2"].standing is standing, today


def test_only_what_is_due_by_the_day_is_listed() -> None:
    sums = [booked("GA", "2026-04", "1.00")]

    assert "2026-Q2" in of("GA", owed(sums, today="2026-07-01", until="2026-07-15"))
    assert "2026-Q2" not in of("GA", owed(sums, today="2026-07-01", until="2026-07-14"))


def test_a_state_whose_day_nobody_knows_is_unknown_and_never_left_out() -> None:
    found = owed(
        [booked("DE", "2026-02", "3.00"), booked("NC", "2026-02", "5.00", Stamping_fee="0.30")],
        today="2026-02-20",
        until="2026-02-20",
    )

    delaware, fee = of("DE", found)["2026"], of("NC", found, "stamping")["2026"]
    assert (delaware.due, delaware.standing, delaware.amount) == (
        None,
        FilingStanding.UNKNOWN,
        Decimal("3.00"),
    )
    assert (fee.due, fee.standing, fee.amount) == (None, FilingStanding.UNKNOWN, Decimal("0.30"))
    assert of("VT", found)["2026"].is_asked_for is None


def test_days_before_the_rules_begin_are_unknown() -> None:
    found = of(
        "GA", owed([booked("GA", "2024-12", "1.00"), booked("GA", "2025-01", "2.00")], today="2025-06-01")
    )

    assert (found["2024-Q4"].standing, found["2024-Q4"].due) == (FilingStanding.UNKNOWN, None)
    assert found["2025-Q1"].due == date(2025, 4, 15)


def test_without_the_library_of_holidays_a_day_that_moves_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    business_days._federal_holidays.cache_clear()
    monkeypatch.setitem(sys.modules, "holidays", None)

    found = owed([booked("NY", "2026-04", "36.00"), booked("GA", "2026-04", "1.00")], today="2027-01-01")

    assert (of("NY", found)["2026"].due, of("NY", found)["2026"].amount) == (None, Decimal("36.00"))
    assert of("GA", found)["2026-Q2"].due == date(2026, 7, 15)
    assert "pip install" in business_days.what_is_missing()


def test_charges_that_no_rule_has_are_listed_as_unknown() -> None:
    found = owed([booked("GA", "2026-04", "1.00", Clean_water_fee="0.50")], today="2026-05-01")

    other = of("GA", found, "other")["2026"]
    assert (other.amount, other.standing) == (Decimal("0.50"), FilingStanding.UNKNOWN)
    assert of("GA", found)["2026-Q2"].amount == Decimal("1.00")


def test_a_state_without_any_rule_is_unknown() -> None:
    found = owed([booked("PR", "2026-04", "1.00")], today="2026-05-01")

    assert (of("PR", found, "other")["2026"].amount, of("PR", found, "other")["2026"].due) == (
        Decimal("1.00"),
        None,
    )


def test_a_zero_report_is_listed_where_the_state_asks_for_it() -> None:
    found = owed([booked("GA", "2026-01", "1.00")], today="2026-12-31", until="2027-12-31")

    assert of("NJ", found)["2026-Q2"].is_zero
    assert of("NJ", found)["2026-Q2"].is_asked_for is True
    assert list(of("CT", found)) == []
    assert list(of("GA", found)) == ["2026-Q1"]
    assert {name: one.is_asked_for for name, one in of("NC", found).items()} == {
        f"{period}": None
        for period in ("2026-Q1", "2026-Q2", "2026-Q3", "2026-Q4", "2027-Q1", "2027-Q2", "2027-Q3")
    }
    assert list(of("LA", found)) == ["2026-Q4"]


def test_california_pays_by_the_month_from_twenty_thousand_the_year_before() -> None:
    below = [booked("CA", "2025-05", "19999.99"), booked("CA", "2026-03", "500.00")]
    reached = [booked("CA", "2025-05", "20000.00"), *below[1:], booked("CA", "2026-07", "30.00")]

    without = owed(below, today="2026-07-15", until="2027-03-01")
    having = owed(reached, today="2026-07-15", until="2027-03-01")

    assert of("CA", without, "installment") == {}
    assert of("CA", without)["2026"].amount == Decimal("500.00")
    monthly = of("CA", having, "installment")
    assert len(monthly) == 12
    assert (monthly["2026-03"].amount, monthly["2026-03"].due) == (Decimal("500.00"), date(2026, 6, 1))
    # A zero voucher is due too.
    assert (monthly["2026-01"].amount, monthly["2026-01"].is_asked_for) == (Decimal(0), True)
    assert of("CA", having)["2026"].amount == Decimal(0)
    assert of("CA", having)["2025"].amount == Decimal("20000.00")


def test_texas_prepays_when_seventy_thousand_has_accrued() -> None:
    sums = [
        booked("TX", "2026-01", "40000.00"),
        booked("TX", "2026-02", "29999.99"),
        booked("TX", "2026-03", "0.01"),
        booked("TX", "2026-04", "69999.99"),
        booked("TX", "2026-12", "0.00"),
        booked("TX", "2027-01", "0.01"),
    ]

    found = owed(sums, today="2027-02-01", until="2027-03-01")

    prepaid = of("TX", found, "prepayment")
    assert {name: (one.amount, one.due) for name, one in prepaid.items()} == {
        "2026-03": (Decimal("70000.00"), date(2026, 4, 15))
    }
    assert of("TX", found)["2026"].amount == Decimal("69999.99")


def test_north_dakota_reports_changes_by_the_quarter_and_new_policies_by_the_year() -> None:
    found = owed(
        [booked("ND", "2026-01", "20.00"), booked("ND", "2026-02", "-5.00", is_new=False)], today="2026-04-01"
    )

    assert {name: one.amount for name, one in of("ND", found).items()} == {"2026": Decimal("20.00")}
    assert {name: one.amount for name, one in of("ND", found, "changes").items()} == {
        "2026-Q1": Decimal("-5.00")
    }


def test_what_was_filed_says_so() -> None:
    mark = Mark(
        state="GA",
        code="tax",
        period="2026-Q1",
        filed_on=date(2026, 4, 14),
        reference="SLIP 1",
        amount=Decimal("10.00"),
        marked_by="somebody",
        marked_at=datetime(2026, 4, 14, tzinfo=UTC),
    )

    found = of("GA", owed([booked("GA", "2026-03", "10.00")], today="2026-07-01", marks=[mark]))

    assert found["2026-Q1"].standing is FilingStanding.FILED
    assert found["2026-Q1"].mark == mark


def test_all_amounts_together_are_what_the_ledger_has() -> None:
    sums = [
        booked("CA", "2025-05", "30000.00", Stamping_fee="100.10"),
        booked("CA", "2026-02", "10.03", Stamping_fee="1.01"),
        booked("TX", "2026-02", "75000.00", Stamping_fee="3.00"),
        booked("ND", "2026-02", "-5.00", is_new=False),
        booked("PA", "2026-02", "7.77", Stamping_fee="20.00"),
        booked("OR", "2026-03", "1.00", Oregon_fire_marshal_tax="0.10", Surplus_lines_service_charge="10.00"),
        booked("DE", "2026-03", "2.00", Something_else="3.33"),
        booked("GU", "2026-03", "4.44"),
    ]

    found = owed(sums, today="2026-04-01")

    assert sum(one.amount or 0 for one in found) == sum(
        amount for one in sums for amount in one.charges.values()
    )


def test_of_an_empty_ledger_nothing_is_worked_out() -> None:
    assert owed([], today="2026-04-01") == []
