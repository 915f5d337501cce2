"""Months of bordereaux, when they are due, and where one stands in words."""

from datetime import date

import pytest

from bindery.base.errors import InvalidRequest
from bindery.domain.bordereaux.bordereau import Month, read_kind, read_month, stem_of
from bindery.domain.bordereaux.standing import standing_of
from bindery.domain.bordereaux.template import BordereauKind

OCTOBER = Month(date(2026, 10, 1))
DUE = date(2026, 11, 15)
NOT_MADE = {"is_made": False, "sent_on": None, "has_lines": True}
MADE = {"is_made": True, "sent_on": None, "has_lines": True}


@pytest.mark.parametrize(
    ("today", "state", "said"),
    [
        (date(2026, 10, 31), NOT_MADE, "The month is not over"),
        (date(2026, 11, 1), NOT_MADE, "Not made"),
        (date(2026, 11, 15), NOT_MADE, "Not made"),
        (date(2026, 11, 16), NOT_MADE, "Not made: 1 day late"),
        (date(2026, 11, 18), NOT_MADE, "Not made: 3 days late"),
        (date(2026, 11, 18), NOT_MADE | {"has_lines": False}, "Nothing was booked"),
        (date(2026, 11, 15), MADE, "Made, not sent"),
        (date(2026, 11, 17), MADE, "Made, not sent: 2 days late"),
        (date(2027, 1, 1), MADE | {"sent_on": date(2026, 11, 15)}, "Sent"),
        (date(2027, 1, 1), MADE | {"sent_on": date(2026, 11, 16)}, "Sent 1 day late"),
    ],
)
def test_a_bordereau_is_made_sent_or_late_in_words(today: date, state: dict[str, object], said: str) -> None:
    assert standing_of(OCTOBER, due_on=DUE, today=today, **state).text == said  # type: ignore[arg-type]


def test_a_month_has_its_first_day_the_day_after_it_and_the_day_it_is_due() -> None:
    december, leap = read_month("2027-12"), read_month("2028-02")

    assert (december.since, december.until) == (date(2027, 12, 1), date(2028, 1, 1))
    assert december.due_on(28) == date(2028, 1, 28)
    assert leap.until == date(2028, 3, 1)
    assert str(december.before) == "2027-11"
    assert not december.is_over(date(2027, 12, 31))
    assert december.is_over(date(2028, 1, 1))


@pytest.mark.parametrize(
    "text", ["", "October", "2026-13", "2026-00", "0000-01", "9999-12", "2026-1", "2026-10-01"]
)
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="is no month: write it as 2026-10"):
        read_month(text)


def test_kinds_are_two_and_claims_are_refused_with_a_sentence() -> None:
    assert read_kind("risk") is BordereauKind.RISK
    with pytest.raises(InvalidRequest, match="claims are not kept here"):
        read_kind("claims")
    with pytest.raises(InvalidRequest, match="the kinds are premium and risk"):
        read_kind("all")


def test_a_file_is_named_for_its_binder_month_kind_and_template() -> None:
    named = stem_of("B0000/SAMPLE 2027", OCTOBER, BordereauKind.RISK, "own", is_draft=True)

    assert named == "B0000-SAMPLE-2027_2026-10_risk_own_DRAFT"
