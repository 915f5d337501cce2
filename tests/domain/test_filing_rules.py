"""The rules of surplus lines filings: their due dates, worked out by hand, and what a wrong file is told."""

import sys
from datetime import date
from importlib.resources import files

import pytest

from bindery.base.errors import Misconfigured
from bindery.domain.filings import business_days
from bindery.domain.filings.business_days import next_business_day
from bindery.domain.filings.periods import PER_YEAR, FilingPeriod, period_of, read_period
from bindery.domain.filings.rules import RuleConfidence, filing_rules, read_filing_rules
from bindery.domain.rating.surcharges import charge_rules

FILE = files("bindery").joinpath("data", "filing_rules.toml").read_text("utf-8")

DUE_OF_2026 = {
    # The fifteenth is a Monday in 2027.
    "NY tax": "2027-03-15",
    "NJ tax": "2026-05-15 2026-08-14 2026-11-14 2027-02-14",
    "TX tax": "2027-03-01",
    "TX prepayment": "2026-02-15 2026-03-15 2026-04-15 2026-05-15 2026-06-15 2026-07-15 "
    "2026-08-15 2026-09-15 2026-10-15 2026-11-15 2026-12-15 2027-01-15",
    "CA tax": "2027-03-01",
    "CA installment": "2026-04-01 2026-05-01 2026-06-01 2026-07-01 2026-08-01 2026-09-01 "
    "2026-10-01 2026-11-01 2026-12-01 2027-01-01 2027-02-01 2027-03-01",
    "PA tax": "2027-01-31",
    "PA report": "2026-03-02 2026-03-30 2026-04-30 2026-05-30 2026-06-30 2026-07-30 "
    "2026-08-30 2026-09-30 2026-10-30 2026-11-30 2026-12-30 2027-01-30",
    "PA stamping": "2026-02-25 2026-03-25 2026-04-25 2026-05-25 2026-06-25 2026-07-25 "
    "2026-08-25 2026-09-25 2026-10-25 2026-11-25 2026-12-25 2027-01-25",
    "NC tax": "2026-04-30 2026-07-31 2026-10-31 2027-01-31",
    "GA tax": "2026-04-15 2026-07-15 2026-10-15 2027-01-15",
    "OK tax": "2026-04-30 2026-07-31 2026-10-31 2027-01-31",
    "KS tax": "2027-03-01",
    "KS fee": "2026-05-15 2026-08-15 2026-11-15 2027-02-15",
    "IL tax": "2026-08-01 2027-02-01",
    "AK tax": "2026-06-01 2026-09-01 2026-12-01 2027-03-01",
    "AR tax": "2026-04-01 2026-04-29 2026-05-30 2026-06-29 2026-07-30 2026-08-29 "
    "2026-09-29 2026-10-30 2026-11-29 2026-12-30 2027-01-29 2027-03-01",
    "WV tax": "2026-04-25 2026-07-25 2026-10-25 2027-01-25",
    "MD tax": "2026-09-15 2027-03-15",
    "ND tax": "2027-03-01",
    "ND changes": "2026-06-01 2026-09-01 2026-12-01 2027-03-01",
}


@pytest.mark.parametrize(("name", "days"), DUE_OF_2026.items())
def test_the_due_dates_of_a_year(name: str, days: str) -> None:
    state, _, code = name.partition(" ")
    (rule,) = [rule for rule in filing_rules().of_state(state) if rule.code == code]

    found = [
        rule.due_on(FilingPeriod(rule.periods, 2026, place + 1)) for place in range(PER_YEAR[rule.periods])
    ]

    assert [str(day) for day in found] == days.split()


@pytest.mark.parametrize(
    ("year", "due"),
    [
        # A Sunday in 2026, a Saturday in 2031; on working days it stays.
        (2025, date(2026, 3, 16)),
        (2026, date(2027, 3, 15)),
        (2027, date(2028, 3, 15)),
        (2030, date(2031, 3, 17)),
    ],
)
def test_new_york_moves_a_weekend_to_monday(year: int, due: date) -> None:
    (rule,) = [rule for rule in filing_rules().of_state("NY") if rule.code == "tax"]

    assert rule.due_on(FilingPeriod(rule.periods, year, 1)) == due


@pytest.mark.parametrize(
    ("day", "business_day"),
    [
        ("2026-01-01", "2026-01-02"),  # New Year's Day, a Thursday
        ("2026-01-19", "2026-01-20"),  # Martin Luther King
        ("2026-02-14", "2026-02-17"),  # a Saturday before Washington's Birthday
        ("2026-05-25", "2026-05-26"),  # Memorial Day
        ("2026-06-19", "2026-06-22"),  # Juneteenth, a Friday
        ("2026-07-02", "2026-07-02"),
        ("2026-07-03", "2026-07-06"),  # kept for the Fourth, a Saturday
        ("2026-09-07", "2026-09-08"),  # Labor Day
        ("2026-10-12", "2026-10-13"),  # Columbus Day
        ("2026-11-11", "2026-11-12"),  # Veterans Day
        ("2026-11-26", "2026-11-27"),  # Thanksgiving; the day after is none
        ("2027-12-24", "2027-12-27"),  # kept for Christmas, a Saturday
        ("2027-12-31", "2028-01-03"),  # kept for the New Year of another year
        ("2028-02-29", "2028-02-29"),
    ],
)
def test_weekends_and_federal_holidays_are_no_business_days(day: str, business_day: str) -> None:
    assert next_business_day(date.fromisoformat(day)) == date.fromisoformat(business_day)


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    business_days._federal_holidays.cache_clear()
    monkeypatch.setitem(sys.modules, "holidays", None)

    with pytest.raises(Misconfigured, match=r"pip install 'bindery\[book\]'"):
        next_business_day(date(2026, 3, 16))


def test_every_state_has_a_rule_and_says_how_sure_it_is() -> None:
    rules = filing_rules()
    sure = {
        state: min((rule.confidence for rule in rules.of_state(state)), key=list(RuleConfidence).index)
        for state in charge_rules()
    }

    assert len(sure) == 51
    assert all(rules.policies[state] for state in sure)
    assert {state for state in sure if not rules.of_state(state)} == set()
    assert {rule.state for rule in rules.filings if rule.frequency == "unknown" and rule.code == "tax"} == {
        "DE",
        "VT",
    }
    low = {rule.state for rule in rules.filings if rule.confidence is RuleConfidence.LOW}
    assert {"DE", "KY", "MI", "MS", "VT", "WV"} <= low
    assert {"NY", "NJ", "TX", "CA", "PA", "NC", "GA"}.isdisjoint(low)


@pytest.mark.parametrize("name", ["2026", "2026-H2", "2026-Q3", "2026-09"])
def test_a_period_is_read_as_it_is_written(name: str) -> None:
    period = read_period(name)

    assert period is not None
    assert str(period) == name
    assert period_of(period.frequency, period.first) == period
    assert period_of(period.frequency, period.last) == period
    assert period.following.first == date.fromordinal(period.last.toordinal() + 1)


@pytest.mark.parametrize(
    "name", ["", "1999", "26", "2026-H3", "2026-Q5", "2026-13", "2026-1", "2026-01-01", "x"]
)
def test_what_is_no_period_is_none(name: str) -> None:
    assert read_period(name) is None


def spoiled(before: str, after: str) -> list[str]:
    assert before in FILE
    rules, flaws = read_filing_rules(FILE.replace(before, after, 1))
    assert rules is None
    return [str(flaw) for flaw in flaws]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("holds_from = 2025-01-01", 'holds_from = "2025"', "holds_from must be a day such as 2025-01-01"),
        ("holds_from = 2025", "holds_form = 1\nholds_from = 2025", "holds_form is unknown"),
        ('AK = "with the quarterly report"\n', "", "policies.AK is missing"),
        ('AK = "with the quarterly report"\n', 'ZZ = "so"\n', "policies.ZZ is no state"),
        ("declinations = 3", "declinations = 0", "diligent_search cannot be read"),
        ('IL = "Since', 'ZZ = "Since', "diligent_search.waived.ZZ is no state"),
        ('state = "AK"', 'state = "ZZ"', "filings[0].state is no state: ZZ"),
        ('state = "AK"', 'state = "ZZ"', "AK has no filing"),
        ('frequency = "quarterly"', 'frequency = "weekly"', "filings[0].frequency cannot be read"),
        ('frequency = "quarterly"', 'frequency = "unknown"', "filings[0].due cannot be known while"),
        (
            "months_after = 3, day = 1 ",
            "months_after = 3 ",
            "filings[0].due needs either months_after and day",
        ),
        (
            "months_after = 3, day = 1 ",
            "months_after = 3, days_after = 3 ",
            "filings[0].due needs either months_after and day",
        ),
        ("months_after = 3, day = 1 ", "months_after = 2, day = 31 ", "filings[0].due names a day 31"),
        (
            "months_after = 3, day = 1 ",
            'months_after = 3, day = "first" ',
            "filings[0].due.day cannot be read",
        ),
        ("{ months_after = 3, day = 1 }", "[{ days_after = 1 }]", "filings[0].due has 1 days for 4 periods"),
        ('confidence = "high"', 'confidence = "sure"', "filings[0].confidence cannot be read"),
        ('confidence = "high"', 'confidance = "high"', "filings[0] cannot be read: Object"),
        ('pays = ["tax", "service"]', 'pays = ["tax"]', "AK pays its service on new policies with 0 filings"),
        (
            'pays = ["tax", "service"]',
            'pays = ["tax", "service", "alms"]',
            "AK.tax pays what the state does not",
        ),
        ('only = "new"', 'only = "changes"', "ND pays its tax on changes with 2 filings and not with one"),
        ("last_year = 20_000\n", "", "needs either last_year or accrued"),
        ("last_year = 20_000", "last_year = 20_000\naccrued = 1", "needs either last_year or accrued"),
        (
            'installment_of = "tax"\n',
            "",
            "installment_of is missing: only an installment begins at an amount",
        ),
        ('installment_of = "tax"', 'installment_of = "stamping"', "is an installment of no annual filing"),
        ('code = "stamping"', 'code = "tax"', "AZ.tax is there twice"),
        ("[policies]", "[policies", " is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(before: str, after: str, said: str) -> None:
    assert any(said in flaw for flaw in spoiled(before, after)), spoiled(before, after)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    _, flaws = read_filing_rules(
        FILE.replace('state = "AK"', 'state = "ZZ"', 1)
        .replace('zero_report = "no"', 'zero_report = "perhaps"')
        .replace("holds_from = 2025-01-01", "", 1)
    )

    paths = [flaw.path for flaw in flaws]
    assert {"holds_from", "filings[0].state", "AK"} <= set(paths)
    assert sum(path.endswith(".zero_report") for path in paths) == FILE.count('zero_report = "no"')
