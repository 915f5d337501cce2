import json
from datetime import date
from functools import partial
from importlib.resources import files
from itertools import pairwise
from types import MappingProxyType
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindery.contract.vocabulary import (
    AggregateLimit,
    AggregateRetention,
    InsuranceProduct,
    PerClaimRetention,
)
from bindery.domain.applicant.risk import Answers, AnswerValue, Risk, Term, Terms, bare_id
from bindery.domain.coverages.edition import (
    COVERAGES,
    Coverage,
    check_coverages,
    coverages_for,
    limit_of,
    read_edition,
)
from bindery.domain.coverages.rules import ShareOfAggregate
from support.tables import each_row

CYB, TEO, MPL, *_ = InsuranceProduct
EDITION = COVERAGES.named("2026.1")


def risk_of(
    product: InsuranceProduct = CYB, *, revenue: int = 1_000_000, state: str = "OH", **answers: AnswerValue
) -> Risk:
    return Risk(
        product=product,
        revenue=revenue,
        state=state,
        industry=None,
        answers=Answers(MappingProxyType({bare_id(key): value for key, value in answers.items()})),
        term=Term(date(2026, 3, 1), date(2027, 3, 1)),
    )


def terms_of(
    aggregate: int = 1_000_000,
    *,
    per_claim: int | None = None,
    retention: int | None = 2_500,
    each: int | None = None,
) -> Terms:
    return Terms(aggregate, per_claim or aggregate, retention, each)


covered = partial(coverages_for, EDITION)


def by_code(coverages: tuple[Coverage, ...]) -> dict[str, Coverage]:
    return {coverage.code: coverage for coverage in coverages}


def raw_edition() -> dict[str, Any]:
    path = files("bindery") / "data" / "coverages" / "2026.1.json"
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return raw


def test_a_cyber_quote_of_one_million_has_these_limits_in_this_order() -> None:
    coverages = covered(risk_of(CYB), terms_of(1_000_000))

    assert [(coverage.coverage_name, coverage.limit) for coverage in coverages] == [
        ("Information Privacy Liability", 1_000_000),
        ("Network Security Liability", 1_000_000),
        ("Regulatory Proceedings, Fines and Penalties", 1_000_000),
        ("PCI-DSS Fines, Expenses and Assessments", 1_000_000),
        ("Media Liability", 1_000_000),
        ("Wrongful Collection of Information", 100_000),
        ("Contingent Bodily Injury", 250_000),
        ("Breach Response and Incident Management", 1_000_000),
        ("Business Interruption and Extra Expense", 1_000_000),
        ("System Failure Business Interruption", 500_000),
        ("Dependent Business Interruption - IT Providers", 500_000),
        ("Dependent System Failure - IT Providers", 250_000),
        ("Dependent Business Interruption - Supply Chain", 100_000),
        ("Cyber Extortion and Ransomware Payments", 1_000_000),
        ("Digital Asset Restoration", 1_000_000),
        ("Bricking and Hardware Replacement", 500_000),
        ("Computer Fraud and Funds Transfer Fraud", 250_000),
        ("Social Engineering Fraud", 250_000),
        ("Invoice Manipulation", 250_000),
        ("Service Fraud and Cryptojacking", 100_000),
        ("Reputational Harm", 500_000),
        ("Proof of Loss Preparation", 50_000),
        ("Court Attendance Costs", 25_000),
        ("Criminal Reward Fund", 50_000),
        ("System Betterment After Loss", 50_000),
    ]


def test_a_technology_quote_with_a_lower_per_claim_limit_has_these_limits() -> None:
    coverages = covered(risk_of(TEO), terms_of(2_000_000, per_claim=1_000_000))

    assert {coverage.coverage_name: coverage.limit for coverage in coverages} == {
        "Technology Errors and Omissions Liability": 1_000_000,
        "Technology Products Failure Liability": 1_000_000,
        "Intellectual Property Infringement in Technology Content": 1_000_000,
        "Contingent Bodily Injury and Property Damage": 250_000,
        "Rectification and Withheld Fee Costs": 250_000,
        "Contractual Service Credits": 100_000,
        "Subpoena and Pre-Claim Assistance": 25_000,
        "Information Privacy Liability": 2_000_000,
        "Network Security Liability": 2_000_000,
        "Regulatory Proceedings, Fines and Penalties": 2_000_000,
        "PCI-DSS Fines, Expenses and Assessments": 1_000_000,
        "Media Liability": 2_000_000,
        "Wrongful Collection of Information": 100_000,
        "Breach Response and Incident Management": 2_000_000,
        "Business Interruption and Extra Expense": 2_000_000,
        "System Failure Business Interruption": 1_000_000,
        "Dependent Business Interruption - IT Providers": 1_000_000,
        "Dependent System Failure - IT Providers": 500_000,
        "Dependent Business Interruption - Supply Chain": 200_000,
        "Cyber Extortion and Ransomware Payments": 2_000_000,
        "Digital Asset Restoration": 2_000_000,
        "Bricking and Hardware Replacement": 1_000_000,
        "Computer Fraud and Funds Transfer Fraud": 250_000,
        "Social Engineering Fraud": 250_000,
        "Invoice Manipulation": 250_000,
        "Service Fraud and Cryptojacking": 100_000,
        "Reputational Harm": 1_000_000,
        "Proof of Loss Preparation": 50_000,
        "Court Attendance Costs": 25_000,
        "Criminal Reward Fund": 50_000,
        "System Betterment After Loss": 50_000,
    }


def test_a_professional_quote_has_these_limits_and_retentions() -> None:
    coverages = covered(risk_of(MPL), terms_of(1_000_000, retention=None, each=2_500))

    assert [(coverage.coverage_name, coverage.limit, coverage.retention) for coverage in coverages] == [
        ("Miscellaneous Professional Liability", 1_000_000, 2_500),
        ("Personal and Advertising Injury in Professional Services", 1_000_000, 2_500),
        ("Intellectual Property Infringement", 500_000, 2_500),
        ("Contingent Bodily Injury and Property Damage", 250_000, 2_500),
        ("Regulatory and Disciplinary Proceedings", 25_000, 0),
        ("Subpoena Assistance", 25_000, 0),
        ("Pre-Claim Assistance", 10_000, 0),
        ("Loss of Earnings", 50_000, 0),
        ("Crisis Event and Public Relations Expense", 30_000, 0),
        ("Withheld Fees and Rectification", 25_000, 2_500),
        ("Loss of Client Documents", 25_000, 2_500),
        ("Privacy and Network Security Liability (Sublimited)", 100_000, 5_000),
    ]


def test_a_yearly_cap_on_professional_retentions_changes_no_coverage() -> None:
    without = covered(risk_of(MPL), terms_of(retention=None, each=2_500))

    with_cap = covered(risk_of(MPL), terms_of(retention=10_000, each=2_500))

    assert with_cap == without


def test_technology_cover_holds_all_of_cyber_but_the_bodily_injury_that_it_replaces() -> None:
    cyber = set(by_code(covered(risk_of(CYB), terms_of())))
    technology = set(by_code(covered(risk_of(TEO), terms_of())))

    assert cyber - technology == {"CBI_THIRD"}
    assert "TECH_CBIPD" in technology


def test_floors_hold_at_the_smallest_limit_and_never_exceed_it() -> None:
    found = by_code(covered(risk_of(CYB), terms_of(100_000)))

    assert found["SYSFAIL"].limit == 100_000
    assert found["DSYSFAIL"].limit == 50_000
    assert found["DBI_SUPPLY"].limit == 25_000
    assert found["BRICK"].limit == 50_000
    assert found["CBI_THIRD"].limit == 100_000


def test_a_floor_above_the_aggregate_gives_the_aggregate() -> None:
    rule = ShareOfAggregate(percent=10, floor=150_000, cap=200_000)

    assert limit_of(rule, aggregate=100_000, per_claim=100_000) == 100_000
    assert limit_of(rule, aggregate=500_000, per_claim=500_000) == 150_000


def test_caps_hold_at_the_largest_limit() -> None:
    found = by_code(covered(risk_of(CYB), terms_of(10_000_000)))

    assert found["PCI"].limit == 1_000_000
    assert found["DSYSFAIL"].limit == 1_000_000
    assert found["DBI_SUPPLY"].limit == 250_000
    assert found["SYSFAIL"].limit == 5_000_000
    assert found["SVCFRAUD"].limit == 100_000


def test_a_share_between_floor_and_cap_is_the_share() -> None:
    found = by_code(covered(risk_of(MPL), terms_of(750_000, retention=None, each=2_500)))

    assert found["MPL_IP"].limit == 375_000
    assert found["MPL_CBIPD"].limit == 187_500
    assert found["MPL_PRIV"].limit == 75_000


@pytest.mark.parametrize(
    ("retention", "fraud_retention"), [(2_500, 10_000), (10_000, 10_000), (15_000, 15_000)]
)
def test_fraud_is_retained_at_ten_thousand_at_least(retention: int, fraud_retention: int) -> None:
    found = by_code(covered(risk_of(CYB), terms_of(retention=retention)))

    assert found["SE"].retention == fraud_retention
    assert found["INVMAN"].retention == fraud_retention
    assert found["WRONGCOLL"].retention == fraud_retention
    assert found["FTF"].retention == retention
    assert found["COURT"].retention == 0


def test_each_parameter_is_shown_with_its_name() -> None:
    cyber = covered(risk_of(CYB), terms_of())
    technology = covered(risk_of(TEO), terms_of())
    professional = covered(risk_of(MPL), terms_of(retention=None, each=2_500))

    shown = {
        coverage.code: (coverage.parameter_name, coverage.parameter)
        for coverage in (*cyber, *technology, *professional)
        if coverage.parameter_name is not None
    }
    assert shown == {
        "BI": ("waiting_period_hours", 8),
        "SYSFAIL": ("waiting_period_hours", 8),
        "DBI_IT": ("waiting_period_hours", 12),
        "DSYSFAIL": ("waiting_period_hours", 12),
        "DBI_SUPPLY": ("waiting_period_hours", 24),
        "EXTORT": ("coinsurance_percent", 0),
        "BRICK": ("betterment_percent", 25),
        "SE": ("callback_verification_required", 1),
        "REPUT": ("indemnity_period_days", 180),
        "COURT": ("daily_limit_usd", 500),
        "BETTER": ("betterment_percent", 25),
        "TECH_MIT": ("insured_share_percent", 20),
        "MPL": ("extended_reporting_period_months", 12),
        "MPL_EARN": ("daily_limit_usd", 500),
        "MPL_CRISIS": ("per_event_limit_usd", 10_000),
    }


def test_a_coverage_without_a_parameter_shows_neither_name_nor_figure() -> None:
    media = by_code(covered(risk_of(CYB), terms_of()))["MEDIA"]

    assert (media.parameter_name, media.parameter) == (None, None)


@pytest.mark.parametrize(
    ("aggregate", "limit", "called_back"),
    [(300_000, 75_000, 0), (500_000, 125_000, 1)],
)
def test_calling_back_is_required_above_one_hundred_thousand(
    aggregate: int, limit: int, called_back: int
) -> None:
    fraud = by_code(covered(risk_of(CYB), terms_of(aggregate)))["SE"]

    assert (fraud.limit, fraud.parameter_name, fraud.parameter) == (
        limit,
        "callback_verification_required",
        called_back,
    )


def test_calling_back_is_not_required_at_exactly_one_hundred_thousand() -> None:
    fraud = by_code(covered(risk_of(CYB), terms_of(400_000)))["SE"]

    assert (fraud.limit, fraud.parameter) == (100_000, 0)


@pytest.mark.parametrize("product", [CYB, TEO])
@pytest.mark.parametrize(
    ("state", "employees", "is_covered"), [("IL", 50, True), ("IL", 51, False), ("IN", 51, True)]
)
def test_wrongful_collection_is_not_offered_to_larger_employers_in_illinois(
    product: InsuranceProduct, state: str, employees: int, is_covered: bool
) -> None:
    risk = risk_of(product, state=state, Q2314=employees)

    assert ("WRONGCOLL" in by_code(covered(risk, terms_of()))) is is_covered


@pytest.mark.parametrize("product", [CYB, TEO])
@pytest.mark.parametrize(
    ("aggregate", "limit"), [(100_000, 50_000), (500_000, 250_000), (3_000_000, 250_000)]
)
def test_ransomware_is_restricted_where_a_small_firm_has_no_mfa_on_remote_access(
    product: InsuranceProduct, aggregate: int, limit: int
) -> None:
    risk = risk_of(product, revenue=4_999_999, Q2301=False)

    extortion = by_code(covered(risk, terms_of(aggregate)))["EXTORT"]

    assert (extortion.limit, extortion.parameter_name, extortion.parameter) == (
        limit,
        "coinsurance_percent",
        50,
    )


@pytest.mark.parametrize(
    ("revenue", "answers"),
    [(4_999_999, {"Q2301": True}), (4_999_999, {}), (5_000_000, {"Q2301": False})],
)
def test_ransomware_is_not_restricted_otherwise(revenue: int, answers: dict[str, Any]) -> None:
    extortion = by_code(covered(risk_of(CYB, revenue=revenue, **answers), terms_of()))["EXTORT"]

    assert (extortion.limit, extortion.parameter) == (1_000_000, 0)


def test_an_underwriter_may_restrict_ransomware_for_a_larger_firm() -> None:
    risk = risk_of(CYB, revenue=20_000_000, Q2301=False)

    restricted = covered(risk, terms_of(), restricted_ransomware=True)

    full = covered(risk, terms_of())
    assert [
        (new.code, new.limit, new.parameter) for new, old in zip(restricted, full, strict=True) if new != old
    ] == [("EXTORT", 250_000, 50)]


def test_restricting_ransomware_means_nothing_to_professional_liability() -> None:
    terms = terms_of(retention=None, each=2_500)

    assert covered(risk_of(MPL), terms, restricted_ransomware=True) == covered(risk_of(MPL), terms)


def test_every_coverage_names_its_edition() -> None:
    assert {coverage.edition for coverage in covered(risk_of(), terms_of())} == {"2026.1"}


@given(
    product=st.sampled_from(InsuranceProduct),
    aggregate=st.sampled_from(get_args(AggregateLimit)),
    per_claim=st.sampled_from(get_args(AggregateLimit)),
    retention=st.sampled_from(get_args(AggregateRetention)),
    each=st.sampled_from(get_args(PerClaimRetention)),
)
def test_no_coverage_exceeds_the_aggregate_limit(
    product: InsuranceProduct, aggregate: int, per_claim: int, retention: int, each: int
) -> None:
    terms = terms_of(aggregate, per_claim=min(per_claim, aggregate), retention=retention, each=each)

    for coverage in covered(risk_of(product), terms):
        assert 0 < coverage.limit <= aggregate, coverage
        assert coverage.retention >= 0, coverage


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_larger_aggregate_never_lowers_a_coverage(product: InsuranceProduct) -> None:
    ladder = [covered(risk_of(product), terms_of(limit, each=2_500)) for limit in get_args(AggregateLimit)]

    for smaller, larger in pairwise(ladder):
        for before, after in zip(smaller, larger, strict=True):
            assert before.limit <= after.limit, after


def test_the_current_edition_is_sound() -> None:
    assert check_coverages(EDITION) == []


def test_every_coverage_of_the_edition_belongs_to_a_product() -> None:
    raw = raw_edition()

    assert set(raw["coverages"]) == {code for codes in raw["products"].values() for code in codes}


@each_row(
    ("code", "change", "problem"),
    [
        ("BI", {"name": " "}, "CYB BI: a name and a note are needed"),
        ("BI", {"note": ""}, "CYB BI: a name and a note are needed"),
        ("BI", {"name": "Media Liability"}, "CYB: name 'Media Liability' is used twice"),
        (
            "BI",
            {"retention": {"type": "per_claim_retention"}},
            "CYB BI: the product has no PerClaimRetention",
        ),
        ("MPL", {"retention": {"type": "policy_retention"}}, "MPL MPL: the product has no PolicyRetention"),
        (
            "MPL",
            {"retention": {"type": "policy_but_at_least", "amount": 1}},
            "MPL MPL: the product has no PolicyRetentionButAtLeast",
        ),
        ("BI", {"retention": {"type": "fixed", "amount": 0}}, "CYB BI: the retention is not above 0"),
        ("BI", {"limit": {"type": "fixed", "amount": 0}}, "CYB BI: the limit is not above 0"),
        (
            "BI",
            {"limit": {"type": "share_of_aggregate", "percent": 101}},
            "CYB BI: 101 percent is not a share of the aggregate",
        ),
        (
            "BI",
            {"limit": {"type": "share_of_aggregate", "percent": 0}},
            "CYB BI: 0 percent is not a share of the aggregate",
        ),
        (
            "BI",
            {"limit": {"type": "share_of_aggregate", "percent": 10, "floor": 0}},
            "CYB BI: the floor is not above 0",
        ),
        (
            "BI",
            {"limit": {"type": "share_of_aggregate", "percent": 10, "floor": 5, "cap": 5}},
            "CYB BI: the cap is not above the floor",
        ),
        (
            "BI",
            {"parameter": {"name": "waiting_period_hours", "value": -1}},
            "CYB BI: the parameter is below 0",
        ),
        (
            "WRONGCOLL",
            {"excluded_when": {"state": "IL", "employees_above": -1}},
            "CYB WRONGCOLL: the exclusion's number of employees is below 0",
        ),
    ],
)
def test_the_self_check_names_what_cannot_be_right(code: str, change: dict[str, Any], problem: str) -> None:
    raw = raw_edition()
    raw["coverages"][code] |= change

    assert problem in check_coverages(read_edition(raw))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"revenue_below": 0}, "CYB EXTORT: the restriction applies to no revenue"),
        ({"limit": {"type": "fixed", "amount": -1}}, "CYB EXTORT: the limit is not above 0"),
    ],
)
def test_the_self_check_looks_into_restrictions(change: dict[str, Any], problem: str) -> None:
    raw = raw_edition()
    raw["coverages"]["EXTORT"]["restricted_when"] |= change

    assert problem in check_coverages(read_edition(raw))


def test_a_restriction_needs_the_parameter_that_it_changes() -> None:
    raw = raw_edition()
    del raw["coverages"]["EXTORT"]["parameter"]

    problems = check_coverages(read_edition(raw))

    assert "CYB EXTORT: the restriction changes a parameter that is not there" in problems


def test_a_coverage_named_twice_is_found() -> None:
    raw = raw_edition()
    raw["products"]["CYB"].append("BI")

    problems = check_coverages(read_edition(raw))

    assert "CYB: code BI is used twice" in problems


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("BI", {"party": "second"}),
        ("BI", {"color": "blue"}),
        ("BI", {"limit": {"type": "unlimited"}}),
        ("BI", {"limit": {"type": "share_of_aggregate", "percent": 5, "roof": 1}}),
        ("BI", {"limit": {"type": "fixed"}}),
        ("BI", {"retention": {"type": "some"}}),
        ("BI", {"parameter": {"name": "waiting_period_years", "value": 1}}),
    ],
)
def test_data_that_nobody_knows_is_refused(code: str, change: dict[str, Any]) -> None:
    raw = raw_edition()
    raw["coverages"][code] |= change

    with pytest.raises(ValueError, match=r"Invalid|unknown field|missing required"):
        read_edition(raw)
