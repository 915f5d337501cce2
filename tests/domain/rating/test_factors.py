"""Every factor, on both sides of each boundary."""

import re
from datetime import date
from decimal import Decimal

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Answers, AnswerValue, Term, Terms
from domain.rating.rating_cases import (
    CYB,
    EFFECTIVE,
    MPL,
    TARIFF,
    TEO,
    components,
    factor,
    price,
    risk_of,
    step,
    terms_of,
)
from support.tables import each_row

OFFLINE = "Offline or air-gapped (e.g. tape or disconnected disk)"
NO_SEPARATION = "Stored on the network without separation (e.g. same-domain NAS or file server)"
CLOUD_SYNC = "Cloud sync service (e.g. file-sync drive)"
DEDICATED_CLOUD = "Dedicated cloud backup service (e.g. backup as a service)"

CONTROLS: list[tuple[str, AnswerValue, str, str]] = [
    ("2300", True, "MFA on e-mail", "0.95"),
    ("2300", False, "MFA on e-mail", "1.15"),
    ("2301", True, "MFA on remote access", "0.95"),
    ("2301", False, "MFA on remote access", "1.25"),
    ("2142", True, "Backups", "1"),
    ("2142", False, "Backups", "1.2"),
    ("2311", (OFFLINE,), "Backup storage", "0.97"),
    ("2311", (DEDICATED_CLOUD,), "Backup storage", "0.97"),
    ("2311", (CLOUD_SYNC,), "Backup storage", "1.03"),
    ("2311", (NO_SEPARATION,), "Backup storage", "1.1"),
    ("2311", ("Unknown",), "Backup storage", "1.05"),
    ("2311", (NO_SEPARATION, CLOUD_SYNC), "Backup storage", "1.03"),
    ("2311", (NO_SEPARATION, CLOUD_SYNC, OFFLINE), "Backup storage", "0.97"),
    ("2313", "Yes", "Immutable backups", "0.96"),
    ("2313", "No", "Immutable backups", "1"),
    ("2313", "Unknown", "Immutable backups", "1.02"),
    ("2302", ("Proofpoint",), "E-mail security", "0.97"),
    ("2302", ("Other/Unknown",), "E-mail security", "1.02"),
    ("2302", ("No SEG in Place",), "E-mail security", "1.08"),
    ("2302", ("Other/Unknown", "Mimecast"), "E-mail security", "0.97"),
    ("2304", ("CrowdStrike Falcon",), "EDR", "0.95"),
    ("2304", ("Other/Unknown",), "EDR", "1.02"),
    ("2304", ("No EDR in Place",), "EDR", "1.12"),
    ("2304", ("Other/Unknown", "ESET Inspect"), "EDR", "0.95"),
    (
        "2309",
        "Managed 24/7 by a third-party provider (e.g. MSSP or external IT vendor)",
        "EDR management",
        "0.93",
    ),
    ("2309", "Managed 24/7 by in-house security team", "EDR management", "0.93"),
    ("2309", "Managed within business hours by in-house security team", "EDR management", "0.98"),
    ("2309", "Deployed but not actively monitored", "EDR management", "1.05"),
    ("2309", "Unknown", "EDR management", "1.03"),
    ("2315", "Yes", "VPN", "1"),
    ("2315", "No", "VPN", "0.98"),
    ("2315", "Unknown", "VPN", "1.05"),
    ("2326", "Exclusively Cloud-based (e.g. all VPNs are SaaS)", "VPN hosting", "0.98"),
    ("2326", "Exclusively Non Cloud-based (e.g. all VPNs are hosted On-Prem)", "VPN hosting", "1.1"),
    (
        "2326",
        "Hybrid (some VPN infrastructure hosted in the Cloud, some hosted On-Prem)",
        "VPN hosting",
        "1.05",
    ),
    ("2316", ("Tailscale", "SonicWall"), "VPN product with a poor claims record", "1.08"),
    ("2316", ("SonicWall", "Citrix NetScaler Gateway"), "VPN product with a poor claims record", "1.08"),
    ("2314", 1, "Employees", "1"),
    ("2314", 250, "Employees", "1"),
    ("2314", 251, "Employees", "1.04"),
    ("2314", 1_000, "Employees", "1.04"),
    ("2314", 1_001, "Employees", "1.08"),
]


@each_row(("question", "answer", "label", "expected"), CONTROLS)
@each_row("product", [CYB, TEO])
def test_each_control_has_its_factor(
    product: InsuranceProduct, question: str, answer: AnswerValue, label: str, expected: str
) -> None:
    worksheet = price(risk_of(product, {question: answer}))

    assert {name: found.value for name, found in components(worksheet, "Security controls").items()} == {
        label: Decimal(expected)
    }
    assert factor(worksheet, "Security controls") == Decimal(expected)


def test_unanswered_controls_cost_nothing() -> None:
    controls = step(price(risk_of(CYB)), "Security controls")

    assert (controls.factor, controls.components) == (Decimal(1), ())


def test_a_vpn_product_without_a_poor_record_costs_nothing() -> None:
    worksheet = price(risk_of(CYB, {"2316": ("Tailscale", "Other")}))

    assert components(worksheet, "Security controls") == {}


def test_the_worksheet_names_the_vpn_products_that_cost_more() -> None:
    worksheet = price(risk_of(CYB, {"2316": ("SonicWall", "Tailscale", "Fortinet FortiGate SSL VPN")}))

    (found,) = components(worksheet, "Security controls").values()
    assert found.reason == "SonicWall, Fortinet FortiGate SSL VPN"


def test_an_option_the_tariff_does_not_know_is_an_error_and_not_a_free_one() -> None:
    with pytest.raises(LookupError, match=r"2313.*'Perhaps'"):
        price(risk_of(CYB, {"2313": "Perhaps"}))


BEST_CONTROLS: dict[str, AnswerValue] = {
    "2300": True, "2301": True, "2142": True, "2311": (OFFLINE,), "2313": "Yes", "2302": ("Proofpoint",),
    "2304": ("Cybereason",), "2309": "Managed 24/7 by in-house security team", "2315": "No", "2314": 10,
}  # fmt: skip
WORST_CONTROLS: dict[str, AnswerValue] = {
    "2300": False,
    "2301": False,
    "2142": False,
    "2302": ("No SEG in Place",),
    "2304": ("No EDR in Place",),
}


def test_good_controls_above_the_floor_are_not_held() -> None:
    controls = step(price(risk_of(CYB, BEST_CONTROLS)), "Security controls")

    assert round(controls.factor, 3) == Decimal("0.706")
    assert controls.reason == "As answered"


def test_the_controls_are_held_to_their_floor() -> None:
    cloud: dict[str, AnswerValue] = {"2326": "Exclusively Cloud-based (e.g. all VPNs are SaaS)"}

    controls = step(price(risk_of(CYB, BEST_CONTROLS | cloud)), "Security controls")

    assert controls.factor == Decimal("0.70")
    assert controls.reason == "0.6917 held to 0.7"
    assert len(controls.components) == 11


def test_the_controls_are_held_to_their_cap() -> None:
    controls = step(price(risk_of(CYB, WORST_CONTROLS)), "Security controls")

    assert controls.factor == Decimal("1.75")
    assert controls.reason == "2.0866 held to 1.75"
    assert [str(found.value) for found in controls.components] == ["1.15", "1.25", "1.2", "1.08", "1.12"]


def test_bad_controls_below_the_cap_are_not_held() -> None:
    controls = step(price(risk_of(CYB, {"2300": False, "2301": False, "2142": False})), "Security controls")

    assert controls.factor == Decimal("1.725")


@pytest.mark.parametrize(
    ("group", "expected"), [(1, "0.75"), (2, "0.88"), (3, "1"), (4, "1.2"), (5, "1.5"), (6, "1.9")]
)
def test_each_hazard_group_has_its_factor(group: int, expected: str) -> None:
    assert factor(price(risk_of(CYB), hazard_group=group), "Hazard") == Decimal(expected)


@pytest.mark.parametrize("group", [0, 7])
def test_a_hazard_group_that_does_not_exist_is_refused(group: int) -> None:
    with pytest.raises(LookupError):
        price(risk_of(CYB), hazard_group=group)


@pytest.mark.parametrize(
    ("answers", "records", "claims"),
    [
        ({}, "1", "1"),
        ({"2159": False, "2146": False, "2147": False}, "1", "1"),
        ({"2159": True}, "1.4", "1"),
        ({"2146": True}, "1", "1.35"),
        ({"2147": True}, "1", "1"),
        ({"2159": True, "2146": True, "2147": True}, "1.4", "1.35"),
    ],
)
def test_records_and_claims_stand_outside_the_controls(
    answers: dict[str, AnswerValue], records: str, claims: str
) -> None:
    worksheet = price(risk_of(CYB, answers | WORST_CONTROLS))

    assert factor(worksheet, "Records held") == Decimal(records)
    assert factor(worksheet, "Events and claims") == Decimal(claims)
    assert factor(worksheet, "Security controls") == Decimal("1.75")


@each_row(
    ("score", "expected"),
    [
        (None, "1"), (100, "0.92"), (90, "0.92"), (89, "0.97"), (80, "0.97"), (79, "1"), (70, "1"),
        (69, "1.08"), (60, "1.08"), (59, "1.18"), (50, "1.18"), (49, "1.3"), (0, "1.3"),
    ],
)  # fmt: skip
def test_each_scan_score_has_its_factor(score: int | None, expected: str) -> None:
    assert factor(price(risk_of(CYB, scan_score=score)), "Scan") == Decimal(expected)


def test_a_score_below_zero_is_an_error() -> None:
    with pytest.raises(LookupError, match="below the first band"):
        price(risk_of(CYB, scan_score=-1))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("CA", "1.05"), ("NY", "1.05"), ("IL", "1.06"), ("FL", "1.04"), ("NJ", "1.03"), ("TX", "1.02"),
        ("WA", "1.02"), ("OH", "1"), ("DC", "1"),
    ],
)  # fmt: skip
def test_each_state_has_its_factor_in_every_part(state: str, expected: str) -> None:
    assert factor(price(risk_of(CYB, state=state)), "State") == Decimal(expected)
    assert factor(price(risk_of(TEO, state=state)), "State", part=0) == Decimal(expected)
    assert factor(price(risk_of(TEO, state=state)), "State", part=1) == Decimal(expected)
    assert factor(price(risk_of(MPL, state=state)), "State") == Decimal(expected)


@pytest.mark.parametrize(
    ("effective", "expiration", "expected"),
    [
        (date(2026, 12, 1), date(2027, 12, 1), "1"),
        (date(2027, 12, 1), date(2028, 12, 1), "1"),  # 366 days, and still twelve months
        (date(2028, 2, 29), date(2029, 2, 28), "1"),
        (date(2026, 12, 1), date(2027, 12, 2), "1.00274"),  # 366 / 365
        (date(2026, 12, 1), date(2028, 6, 1), "1.50137"),  # 548 / 365
        (date(2026, 12, 1), date(2027, 11, 30), "0.997534"),  # 364 days: f + 0.10 (1 - f)
        (date(2027, 12, 1), date(2028, 11, 30), "1"),  # 365 days of a leap year
        (date(2026, 12, 1), date(2027, 6, 1), "0.548767"),  # 182 days
    ],
)
def test_the_term_is_priced_by_its_length(effective: date, expiration: date, expected: str) -> None:
    term = Term(effective, expiration)

    for product in (CYB, TEO, MPL):
        worksheet = price(risk_of(product, term=term))
        assert {factor(worksheet, "Term", n) for n in range(len(worksheet.parts))} == {Decimal(expected)}


@pytest.mark.parametrize(
    ("product", "part", "per_claim", "aggregate", "expected"),
    [
        (CYB, 0, 1_000_000, 1_000_000, "1"),
        (CYB, 0, 500_000, 1_000_000, "0.818"),  # 0.65 * 0.72 + 0.35 * 1
        (TEO, 0, 500_000, 2_000_000, "0.972"),  # 0.65 * 0.72 + 0.35 * 1.44
        (TEO, 1, 500_000, 2_000_000, "0.9735"),  # 0.65 * 0.69 + 0.35 * 1.5
        (MPL, 0, 100_000, 300_000, "0.437"),  # 0.65 * 0.36 + 0.35 * 0.58
    ],
)
def test_a_per_claim_limit_below_the_aggregate_is_blended(
    product: InsuranceProduct, part: int, per_claim: int, aggregate: int, expected: str
) -> None:
    worksheet = price(risk_of(product), terms_of(product, aggregate, per_claim_limit=per_claim))

    assert factor(worksheet, "Limit", part) == Decimal(expected)


@pytest.mark.parametrize(
    ("retention", "cyber", "technology"),
    [(2_500, "1", "1"), (5_000, "0.95", "0.955"), (100_000, "0.62", "0.645"), (500_000, "0.41", "0.435")],
)
def test_technology_takes_its_retention_in_both_parts(retention: int, cyber: str, technology: str) -> None:
    worksheet = price(risk_of(TEO), terms_of(TEO, retention=retention))

    assert factor(worksheet, "Retention", part=0) == Decimal(cyber)
    assert factor(worksheet, "Retention", part=1) == Decimal(technology)


@pytest.mark.parametrize(
    ("retention", "expected"), [(500, "1.1"), (2_500, "1"), (7_500, "0.92"), (500_000, "0.43")]
)
def test_professional_liability_is_priced_by_its_per_claim_retention(retention: int, expected: str) -> None:
    worksheet = price(risk_of(MPL), terms_of(MPL, retention=retention))

    assert factor(worksheet, "Retention") == Decimal(expected)
    assert factor(worksheet, "Cap on retentions") == 1


def test_a_yearly_cap_on_retentions_costs_three_per_cent() -> None:
    worksheet = price(risk_of(MPL), terms_of(MPL, yearly_cap=10_000))

    assert factor(worksheet, "Cap on retentions") == Decimal("1.03")
    assert worksheet.premium == 1_442


@pytest.mark.parametrize(
    ("product", "terms"), [(CYB, terms_of(MPL)), (TEO, terms_of(MPL)), (MPL, terms_of(CYB))]
)
def test_terms_of_another_product_are_refused(product: InsuranceProduct, terms: Terms) -> None:
    with pytest.raises(ValueError, match="is priced by its"):
        price(risk_of(product), terms)


def test_a_limit_nobody_can_ask_for_is_refused() -> None:
    with pytest.raises(LookupError, match=re.escape("The tariff has no limit of $1,250,000")):
        price(risk_of(CYB), terms_of(CYB, 1_250_000))


@pytest.mark.parametrize(
    ("answers", "expected", "factor_expected"),
    [
        ({}, "B", "1"),
        ({"2209": ("Digital marketing",)}, "A", "0.8"),
        ({"2209": ("Digital marketing", "E-recycling / data destruction")}, "B", "1"),
        ({"2209": ("Managed IT services (MSP or MSSP)", "Digital marketing")}, "C", "1.3"),
        ({"2209": ("Domain name services (DNS)",)}, "D", "1.7"),
        ({"2211": ("None of the above",)}, "B", "1"),
        ({"2224": ("None of the above",)}, "A", "0.8"),
        ({"2224": ("None of the above",), "2208": ("Social media",)}, "C", "1.3"),
        (
            {"2209": ("Technology training or education",), "2227": ("ERP software implementation",)},
            "C",
            "1.3",
        ),
    ],
)
def test_the_dearest_technology_activity_decides_the_class(
    answers: dict[str, AnswerValue], expected: str, factor_expected: str
) -> None:
    worksheet = price(risk_of(TEO, answers))

    assert TARIFF.errors_and_omissions.classes.dearest(Answers(answers))[0] == expected
    assert factor(worksheet, "Class", part=1) == Decimal(factor_expected)


def test_the_worksheet_names_the_activity_that_decided_the_class() -> None:
    worksheet = price(risk_of(TEO, {"2209": ("Digital marketing", "Domain name services (DNS)")}))

    assert step(worksheet, "Class", part=1).reason == "Class D: Domain name services (DNS)"


@pytest.mark.parametrize(
    ("services", "expected", "factor_expected"),
    [
        ((), "2", "1"),
        (("Market research or surveys",), "1", "0.75"),
        (("Interior design",), "2", "1"),
        (("Claims adjusting", "Interior design"), "3", "1.35"),
        (("Interior design", "Other"), "4", "1.8"),
    ],
)
def test_the_dearest_service_decides_the_class(
    services: tuple[str, ...], expected: str, factor_expected: str
) -> None:
    answers: dict[str, AnswerValue] = {"2401": services} if services else {}

    assert TARIFF.professional.classes.dearest(Answers(answers))[0] == expected
    assert factor(price(risk_of(MPL, answers)), "Class") == Decimal(factor_expected)


@each_row(
    ("question", "answer", "expected"),
    [
        ("2248", True, "0.95"),
        ("2248", False, "1.2"),
        ("2249", True, "0.95"),
        ("2249", False, "1.08"),
        ("2229", True, "0.97"),
        ("2229", False, "1.05"),
        ("2205", True, "0.97"),
        ("2205", False, "1.04"),
        ("2210", "People (e.g., consumers, patients)", "1.1"),
        ("2210", "Organizations (e.g., businesses, non-profits, government)", "1"),
        ("2204", "Hardware", "1.05"),
        ("2204", "Software", "1"),
        ("2204", ("Services",), "1"),
        ("2207", 0, "0.98"),
        ("2207", Decimal("249999.99"), "0.98"),
        ("2207", 250_000, "1"),
        ("2207", 999_999, "1"),
        ("2207", 1_000_000, "1.1"),
        ("2207", 4_999_999, "1.1"),
        ("2207", 5_000_000, "1.2"),
    ],
)
def test_each_answer_about_contracts_has_its_factor(
    question: str, answer: AnswerValue, expected: str
) -> None:
    worksheet = price(risk_of(TEO, {question: answer}))

    assert factor(worksheet, "Contracts and practice", part=1) == Decimal(expected)


def test_contracts_and_practice_are_held_to_their_cap_and_come_near_their_floor() -> None:
    worst: dict[str, AnswerValue] = {
        "2248": False,
        "2229": False,
        "2205": False,
        "2210": "People (e.g., consumers, patients)",
    }
    best: dict[str, AnswerValue] = {"2248": True, "2249": True, "2229": True, "2205": True, "2207": 1}

    assert factor(price(risk_of(TEO, worst)), "Contracts and practice", part=1) == Decimal("1.44144")
    dearest = price(risk_of(TEO, worst | {"2204": "Hardware", "2207": 5_000_000}))
    assert factor(dearest, "Contracts and practice", part=1) == Decimal("1.60")
    assert round(factor(price(risk_of(TEO, best)), "Contracts and practice", part=1), 4) == Decimal("0.8322")


@each_row(
    ("answers", "expected"),
    [
        ({"2403": 0}, "1.15"),
        ({"2403": 2}, "1.15"),
        ({"2403": 3}, "1"),
        ({"2403": 9}, "1"),
        ({"2403": 10}, "0.95"),
        ({"2405": "Always"}, "0.95"),
        ({"2405": "Usually"}, "1"),
        ({"2405": "Sometimes"}, "1.08"),
        ({"2405": "Never"}, "1.2"),
        ({"2406": True}, "0.96"),
        ({"2406": False}, "1.04"),
        ({"2407": "Up to 25%"}, "1"),
        ({"2407": "26% to 50%"}, "1"),
        ({"2407": "More than 50%"}, "1.08"),
        ({"2408": "None"}, "1"),
        ({"2408": "Up to 25%", "2409": False}, "1"),
        ({"2408": "More than 25%", "2409": True}, "1"),
        ({"2408": "More than 25%", "2409": False}, "1.1"),
        ({"2416": "0"}, "1"),
        ({"2416": "1"}, "1.25"),
        ({"2416": "2"}, "1.5"),
        ({"2416": "3 or more"}, "1.5"),
    ],
)
def test_each_answer_about_the_practice_has_its_factor(
    answers: dict[str, AnswerValue], expected: str
) -> None:
    assert factor(price(risk_of(MPL, answers)), "Practice and claims") == Decimal(expected)


def test_practice_and_claims_are_held_to_their_cap() -> None:
    below = price(risk_of(MPL, {"2416": "2", "2403": 0}))
    above = price(risk_of(MPL, {"2416": "2", "2403": 0, "2406": False}))

    assert factor(below, "Practice and claims") == Decimal("1.725")
    assert factor(above, "Practice and claims") == Decimal("1.75")


@each_row(
    ("retroactive", "technology", "professional"),
    [
        (None, "1", "1"),
        (date(2026, 12, 2), "1", "1"),
        (date(2026, 12, 1), "1", "1"),
        (date(2026, 11, 30), "1.05", "1.04"),
        (date(2025, 12, 1), "1.05", "1.04"),
        (date(2025, 11, 30), "1.1", "1.08"),
        (date(2024, 12, 1), "1.1", "1.08"),
        (date(2024, 11, 30), "1.15", "1.12"),
        (date(2023, 12, 1), "1.15", "1.12"),
        (date(2023, 11, 30), "1.15", "1.15"),
        (date(1990, 1, 1), "1.15", "1.15"),
    ],
)
def test_prior_acts_cost_by_the_year_begun_up_to_a_cap(
    retroactive: date | None, technology: str, professional: str
) -> None:
    expiration = date(2027, 12, 1)
    teo = risk_of(TEO, term=Term(EFFECTIVE, expiration, retroactive=retroactive))
    mpl = risk_of(MPL, term=Term(EFFECTIVE, expiration, retroactive=retroactive))

    assert factor(price(teo), "Prior acts", part=1) == Decimal(technology)
    assert factor(price(mpl), "Prior acts") == Decimal(professional)


def test_a_leap_day_has_its_anniversary_on_the_last_of_february() -> None:
    for effective, expected in ((date(2029, 2, 28), "1.05"), (date(2029, 3, 1), "1.1")):
        term = Term(effective, effective.replace(year=2030), retroactive=date(2028, 2, 29))

        assert factor(price(risk_of(TEO, term=term)), "Prior acts", part=1) == Decimal(expected)


def test_full_prior_acts_have_one_price() -> None:
    term = Term(EFFECTIVE, date(2027, 12, 1), retroactive=FULL_PRIOR_ACTS)

    assert factor(price(risk_of(MPL, term=term)), "Prior acts") == Decimal("1.15")


def test_a_retroactive_text_that_means_nothing_is_refused() -> None:
    term = Term(EFFECTIVE, date(2027, 12, 1), retroactive="since forever")

    with pytest.raises(ValueError, match="since forever"):
        price(risk_of(MPL, term=term))


@pytest.mark.parametrize(
    ("revenue", "expected"),
    [
        (0, "720.0000"),
        (100_000, "720.0000"),
        (100_001, "720.0016"),
        (249_999, "879.9992"),
        (250_000, "880.0000"),
        (3_712_345, "2221.6102"),
        (5_000_000_000, "400000.0000"),
        (10_000_000_000, "640000.0000"),
    ],
)
def test_the_base_premium_runs_through_its_points_and_on_beyond_them(revenue: int, expected: str) -> None:
    assert str(factor(price(risk_of(CYB, revenue=revenue)), "Base premium")) == expected
