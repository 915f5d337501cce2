"""A binder's file: all that is wrong with it at once, each with its line and field."""

import re
from datetime import date
from decimal import Decimal

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.binder_file import LARGEST_FILE, read_binder_file
from bindery.domain.policy.binders import AskedRisk, FoundSection, broken_clauses, commission_of
from support.book import BINDER
from support.tables import each_row

NOBODY = """[[carriers]]
name = "Nobody Mutual"
number = "00000"
address = ["1 Nowhere"]
share = 0
"""


def line_of(text: str, start: str, *, which: int = 1) -> int:
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith(start)]
    return lines[which - 1]


def test_a_good_file_is_a_binder() -> None:
    binder, flaws = read_binder_file(BINDER.encode())

    assert flaws == []
    assert binder is not None
    assert (binder.agreement, binder.premium_limit) == ("SAMPLE-2027", 1_000_000)
    assert [(carrier.number, carrier.share) for carrier in binder.carriers] == [
        ("00001", Decimal("62.5")),
        ("00002", Decimal("37.5")),
    ]
    cyber, other = binder.sections
    assert (cyber.product, len(cyber.states)) == (InsuranceProduct.CYB, 49)
    assert {"NY", "TX"}.isdisjoint(cyber.states)
    assert other.states == {"CA", "NY"}
    assert (binder.notify_at, binder.bordereau_due_day) == ((75, 90), 15)


@each_row(
    ("before", "after", "field", "words"),
    [
        ('agreement = "SAMPLE-2027"\n', "", "agreement", "is missing"),
        ("expiry = 2028-03-01", "expiry = 2027-03-01", "expiry", "must be after the inception, 2027-03-01"),
        ("expiry = 2028-03-01", 'expiry = "2028-03-01"', "expiry", "must be a day such as 2026-10-01"),
        ("expiry = 2028-03-01", "expiry = 2028-03-01T00:00:00Z", "expiry", "must be a day"),
        (
            "premium_limit = 1_000_000",
            "premium_limit = 0",
            "premium_limit",
            "must be a whole number from 1",
        ),
        ("premium_limit = 1_000_000", "premium_limit = true", "premium_limit", "must be a whole number"),
        ("premium_limit", "premium_limt", "premium_limt", "is unknown; there are agreement"),
        ("share = 62.5", "share = 62.4", "carriers[0].share", "shares add up to 99.9 and not to 100"),
        ("share = 62.5", "share = 0", "carriers[0].share", "must be more than 0"),
        ("share = 62.5", "share = nan", "carriers[0].share", "must be a percentage"),
        ("share = 62.5", "share = 62.50001", "carriers[0].share", "with up to four decimals"),
        ('number = "00002"', 'number = "00001"', "carriers[1].number", "00001 is there twice"),
        ('product = "MPL"', 'product = "AUT"', "sections[1].product", "must be one of CYB, TEO, MPL"),
        ('states = ["CA", "NY"]', 'states = ["CA", "ZZ"]', "sections[1].states", "names no state: ZZ"),
        ('states = ["CA", "NY"]', 'states = ["CA", "CA"]', "sections[1].states", "must name each state once"),
        ('states = ["CA", "NY"]', "states = []", "sections[1].states", 'must be "all" or a list of states'),
        ('product = "MPL"', 'product = "CYB"', "sections[1].states", "overlaps section Cyber: CA"),
        ('name = "Professional"', 'name = "Cyber"', "sections[1].name", "Cyber is there twice"),
        ("commission = 20", "commission = 20.125", "sections[1].commission", "with up to two decimals"),
        ('["52"]', "[52, 1]", "sections[0].sectors_excluded", "must be a list of sectors"),
        ("term_months = 18", "term_months = 37", "sections[0].term_months", "from 1 to 36"),
        ("[[sections]]", "[[section]]", "sections", "a binder has one [[sections]] or more"),
    ],
)
def test_each_problem_has_its_line_and_field(before: str, after: str, field: str, words: str) -> None:
    text = BINDER.replace(before, after)
    assert text != BINDER

    binder, flaws = read_binder_file(text.encode())

    assert binder is None
    found = {flaw.field: flaw for flaw in flaws}
    assert words in found[field].text
    key = field.rpartition(".")[2]
    starts = re.compile(rf"(\[\[)?{re.escape(key)}\b")
    named = [number for number, line in enumerate(text.splitlines(), start=1) if starts.match(line)]
    assert found[field].line in (named or [1])


def test_every_problem_is_told_at_once_in_the_order_of_the_file() -> None:
    text = BINDER.replace("2028-03-01", "2020-03-01").replace("62.5", "60").replace('"NY"]', '"ZZ"]')

    binder, flaws = read_binder_file(text.encode())

    assert binder is None
    assert [flaw.field for flaw in flaws] == ["expiry", "carriers[0].share", "sections[1].states"]
    assert [flaw.line for flaw in flaws] == [
        line_of(text, "expiry"),
        line_of(text, "share"),
        line_of(text, "states = ", which=2),
    ]


@each_row(
    ("content", "line", "words"),
    [
        (b"agreement = \n", 1, "is not TOML"),
        (b'agreement = "a"\nagreement = "b"\n', 2, "is not TOML"),
        (b"\xff\xfe", 1, "is not UTF-8 text"),
        (b"#" * (LARGEST_FILE + 1), 1, "is larger than 256 kB"),
        (b"agreement = " + b"1" * 5_000, 1, "has a number that is too long"),
        (b"agreement = " + b"[" * 100_000, 1, "or lists that are too deep"),
        (b"", 1, "is missing"),
        (b"carriers = 5\nsections = [1]\n", 1, "is missing"),
    ],
)
def test_what_cannot_be_read_at_all_is_said(content: bytes, line: int, words: str) -> None:
    binder, flaws = read_binder_file(content)

    assert binder is None
    assert flaws[0].line == line
    assert words in flaws[0].text


@each_row(("field", "value"), [("product", '["CYB"]'), ("states", '[["NJ"]]'), ("states_excluded", "[{}]")])
def test_a_list_where_a_word_belongs_is_a_flaw_with_its_line(field: str, value: str) -> None:
    binder, flaws = read_binder_file(f"\n[[sections]]\n{field} = {value}\n".encode())

    assert binder is None
    assert [flaw.line for flaw in flaws if flaw.field == f"sections[0].{field}"] == [3]


SECTION = FoundSection(
    section_id=1,
    agreement="SAMPLE-2027",
    name="Cyber",
    max_limit=3_000_000,
    max_revenue=10_000_000,
    sectors_excluded=frozenset({"52"}),
    term_months=18,
    days_ahead=30,
    commission=Decimal("22.5"),
    deviation=25,
    premium_limit=1_000_000,
    premium_booked=0,
)


@each_row(
    ("changes", "words"),
    [
        ({"limit": 3_000_000}, ""),
        ({"limit": 3_000_001}, "its limit of $3,000,001 is above $3,000,000"),
        ({"revenue": 10_000_000}, ""),
        ({"revenue": 10_000_001}, "the revenue of $10,000,001 is above $10,000,000"),
        ({"sector": "52"}, "industries of the sector 52 are excluded"),
        ({"term": Term(date(2027, 3, 1), date(2028, 9, 1))}, ""),
        (
            {"term": Term(date(2027, 3, 1), date(2028, 9, 2))},
            "its term until 2028-09-02 is longer than 18 months",
        ),
        ({"today": date(2027, 1, 30)}, ""),
        ({"today": date(2027, 1, 29)}, "it begins 31 days ahead, more than 30"),
        ({"premium": 1_250}, ""),
        ({"premium": 1_251}, "its premium is 25 % off the tariff, more than 25 %"),
        ({"premium": 749}, "its premium is 25 % off the tariff, more than 25 %"),
        ({"premium": 9_000, "rated_premium": None}, ""),
    ],
)
def test_a_clause_holds_up_to_its_last_value(changes: dict[str, object], words: str) -> None:
    asked: dict[str, object] = {
        "product": InsuranceProduct.CYB,
        "state": "CA",
        "revenue": 1_000_000,
        "sector": "44",
        "limit": 1_000_000,
        "premium": 1_000,
        "rated_premium": 1_000,
        "term": Term(date(2027, 3, 1), date(2028, 3, 1)),
        "today": date(2027, 3, 1),
    }
    risk = AskedRisk(**asked | changes)  # type: ignore[arg-type] # as the rows give them

    assert list(broken_clauses(SECTION, risk)) == ([words] if words else [])


@pytest.mark.parametrize(
    ("premium", "rate", "commission"),
    [(1_537, "22.5", "345.83"), (-1_537, "22.5", "-345.83"), (0, "25", "0.00"), (999, "0", "0.00")],
)
def test_commission_is_to_the_cent_and_goes_back_as_it_came(premium: int, rate: str, commission: str) -> None:
    assert commission_of(premium, Decimal(rate)) == Decimal(commission)
