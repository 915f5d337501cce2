"""The specification's tables Client to QuoteOption, at both sides of every boundary."""

from typing import Any

import pytest

from support.intake import REMOVED, changed, check_is_accepted, problems, professional, technology
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = (
    100_000, 250_000, 300_000, 500_000, 750_000, 900_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000,
    3_000_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000, 8_000_000, 9_000_000, 10_000_000,
)  # fmt: skip
RETENTIONS = (2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000, 150_000, 250_000, 500_000)
PER_CLAIM_LIMITS = (
    100_000, 250_000, 500_000, 750_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000, 6_000_000,
    7_000_000, 8_000_000, 9_000_000, 10_000_000,
)  # fmt: skip
PER_CLAIM_RETENTIONS = (
    500, 1_000, 1_500, 2_500, 5_000, 7_500, 10_000, 15_000, 20_000, 25_000, 35_000, 50_000, 75_000, 100_000,
    150_000, 250_000, 500_000,
)  # fmt: skip
STATES = (
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS",
    "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC",
    "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
)  # fmt: skip
DOMAIN_OF_253 = ".".join(("a" * 63, "b" * 63, "c" * 63, "d" * 49, "example", "com"))
CONTACT = {"email": "ann@harborlight.example"}
ROLES = ["security_alerts", "policy_notices"]
ADDITIONAL = {"email": "ben@harborlight.example", "contact_roles": ROLES}

ACCEPTED: list[tuple[str, Any]] = [
    ("client.name", "X"),
    ("client.name", "N" * 400),
    ("client.name", "\U0001f600" * 400),
    ("client.revenue", 1),
    ("client.broker_email", "BROKER@Example.com"),
    ("client.dba", None),
    ("client.dba", "The Lighthouse"),
    ("client.dba", ""),
    ("client.dba", "L" * 400),
    ("client.domains", []),
    ("client.domains", REMOVED),
    ("client.domains", [f"n{number}.example.com" for number in range(75)]),
    ("client.domains", [DOMAIN_OF_253]),
    ("client.domains", [f"{DOMAIN_OF_253}."]),
    ("client.domains", ["Bäckerei.example.com", "WWW.EXAMPLE.COM", "example.co.uk"]),
    ("client.industry", REMOVED),
    ("client.industry", "000000"),
    ("client.insured_main_contact", REMOVED),
    ("client.insured_main_contact", CONTACT),
    ("client.insured_main_contact.email", f"{'a' * 243}@example.com"),
    ("client.insured_main_contact.cell_phone", "1"),
    ("client.insured_main_contact.cell_phone", "1" * 255),
    ("client.insured_main_contact.first_name", "A"),
    ("client.insured_main_contact.first_name", "A" * 255),
    ("client.insured_main_contact.last_name", "B"),
    ("client.insured_main_contact.last_name", "B" * 255),
    ("client.additional_contacts", []),
    ("client.additional_contacts", [ADDITIONAL]),
    ("client.additional_contacts", [{**ADDITIONAL, "contact_roles": ["security_alerts"]}]),
    ("client.additional_contacts", [{**ADDITIONAL, "contact_roles": ["policy_notices"]}]),
    ("client.additional_contacts", [{**ADDITIONAL, "contact_roles": ROLES[::-1]}]),
    ("client.additional_contacts", [{**ADDITIONAL, "pager": 7, "first_name": "", "last_name": "B" * 300}]),
    ("client.secondary_broker_email", None),
    ("client.secondary_broker_email", "second@example.com"),
    ("client.metadata", {}),
    ("client.metadata", {"order": 17, "tags": ["a", {"deep": None}]}),
    ("client.metadata", {"text": "m" * 4_085}),
    ("client.metadata", {str(number): number for number in range(50)}),
    ("client.address.street", "S"),
    ("client.address.street", "S" * 255),
    ("client.address.street2", ""),
    ("client.address.street2", "T" * 255),
    ("client.address.city", "C"),
    ("client.address.city", "C" * 50),
    ("client.address.zip", "19107-3615"),
    ("client.address.zip", "00501"),
    ("client.address.state", REMOVED),
    ("client.address.state", "Pennsylvania"),
    ("client.address.state", "pennsylvania"),
    ("client.address.state", "pa"),
    ("client.address.state", "District of Columbia"),
    ("client.address.state", "West Virginia"),
    *[("client.address.state", letters) for letters in STATES],
    ("client.something_else", {"anything": [1, 2]}),
    ("client.address.county", "Philadelphia"),
    ("policy.something_else", 1),
    ("something_else", "x"),
    ("policy.insurance_product", REMOVED),
    ("policy.insurance_product", "CYB"),
    ("policy.program_code", None),
    ("policy.program_code", ""),
    ("policy.program_code", "ACCOUNTANTS"),
    ("policy.program_code", "FRANCHISE-7"),
    ("policy.quotes[0].something_else", True),
    ("policy.quotes", []),
    ("policy.quotes", REMOVED),
    ("policy.quotes", [{"aggregate_limit": 1_000_000}] * 15),
    ("policy.quotes", [{"aggregate_limit": limit} for limit in LIMITS[:15]]),
    ("policy.quotes", [{"aggregate_limit": limit} for limit in LIMITS[15:]]),
    *[("policy.quotes", [{"aggregate_limit": 3_000_000, "aggregate_retention": r}]) for r in RETENTIONS],
    *[("policy.quotes", [{"aggregate_limit": limit, "per_claim_limit": limit}]) for limit in LIMITS],
    *[
        ("policy.quotes", [{"aggregate_limit": 10_000_000, "per_claim_limit": limit}])
        for limit in PER_CLAIM_LIMITS
    ],
    *[
        ("client.address.state", name)
        for name in ("Washington D.C.", "Washington DC", "D.C.", "washington, dc")
    ],
    ("policy.quotes", [{"aggregate_limit": 2_500_000, "per_claim_limit": 2_000_000}]),
    ("policy.quotes", [{"aggregate_limit": 1_000_000, "per_claim_retention": 500}]),
]

REFUSED: list[tuple[str, Any, str, str]] = [
    ("client", REMOVED, "client", "required"),
    ("client", None, "client", "wrong_type"),
    ("client", [], "client", "wrong_type"),
    ("policy", REMOVED, "policy", "required"),
    ("policy", "CYB", "policy", "wrong_type"),
    ("questions", REMOVED, "questions", "required"),
    ("questions", {}, "questions", "wrong_type"),
    ("client.name", REMOVED, "client.name", "required"),
    ("client.name", None, "client.name", "wrong_type"),
    ("client.name", "", "client.name", "too_short"),
    ("client.name", " \t", "client.name", "blank"),
    ("client.name", "N" * 401, "client.name", "too_long"),
    ("client.name", "\U0001f600" * 401, "client.name", "too_long"),
    ("client.name", 7, "client.name", "wrong_type"),
    ("client.revenue", REMOVED, "client.revenue", "required"),
    ("client.revenue", 0, "client.revenue", "out_of_range"),
    ("client.revenue", -1, "client.revenue", "out_of_range"),
    ("client.revenue", 5_000_000_001, "client.revenue", "out_of_range"),
    ("client.revenue", 10**30, "client.revenue", "out_of_range"),
    ("client.revenue", 2_500_000.5, "client.revenue", "wrong_type"),
    ("client.revenue", "2500000", "client.revenue", "wrong_type"),
    ("client.revenue", True, "client.revenue", "wrong_type"),
    ("client.revenue", None, "client.revenue", "wrong_type"),
    ("client.broker_email", REMOVED, "client.broker_email", "required"),
    ("client.broker_email", "", "client.broker_email", "too_short"),
    ("client.broker_email", None, "client.broker_email", "wrong_type"),
    ("client.broker_email", "stranger@example.com", "client.broker_email", "unknown_broker"),
    ("client.company_id", True, "client.company_id", "wrong_type"),
    ("client.company_id", 123456789.0, "client.company_id", "unknown_company"),
    ("client.company_id", 123456789.5, "client.company_id", "wrong_type"),
    ("client.dba", 5, "client.dba", "wrong_type"),
    ("client.dba", "L" * 401, "client.dba", "too_long"),
    ("client.domains", "example.com", "client.domains", "wrong_type"),
    ("client.domains", [f"n{n}.example.com" for n in range(76)], "client.domains", "too_many_items"),
    ("client.domains", ["example.com", "d" * 256], "client.domains[1]", "too_long"),
    ("client.domains", ["example.com", "d" * 255], "client.domains[1]", "not_a_domain"),
    ("client.domains", [f"e{DOMAIN_OF_253}"], "client.domains[0]", "not_a_domain"),
    ("client.domains", [""], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["localhost"], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["https://example.com/"], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["ann@example.com"], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["192.0.2.1"], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["co.uk"], "client.domains[0]", "not_a_domain"),
    ("client.domains", ["a_b.example.com"], "client.domains[0]", "not_a_domain"),
    ("client.domains", [None], "client.domains[0]", "wrong_type"),
    ("client.industry", "31181", "client.industry", "wrong_format"),
    ("client.industry", "00", "client.industry", "wrong_format"),
    ("client.industry", "000", "client.industry", "wrong_format"),
    ("client.industry", "3118120", "client.industry", "wrong_format"),
    ("client.industry", "31181X", "client.industry", "wrong_format"),
    ("client.industry", 311812, "client.industry", "wrong_type"),
    ("client.insured_main_contact", {}, "client.insured_main_contact.email", "required"),
    ("client.insured_main_contact.email", "", "client.insured_main_contact.email", "too_short"),
    ("client.insured_main_contact.email", "nobody", "client.insured_main_contact.email", "not_an_email"),
    ("client.insured_main_contact.email", "a b@c.de", "client.insured_main_contact.email", "not_an_email"),
    (
        "client.insured_main_contact.email",
        f"{'a' * 244}@example.com",
        "client.insured_main_contact.email",
        "too_long",
    ),
    *[
        (f"client.insured_main_contact.{name}", value, f"client.insured_main_contact.{name}", code)
        for name in ("cell_phone", "first_name", "last_name")
        for value, code in (
            ("", "too_short"),
            ("x" * 256, "too_long"),
            (1, "wrong_type"),
        )
    ],
    ("client.insured_main_contact.title", "Dr", "client.insured_main_contact.title", "unknown_field"),
    ("client.additional_contacts", [5], "client.additional_contacts[0]", "wrong_type"),
    (
        "client.additional_contacts",
        [{"contact_roles": ROLES}],
        "client.additional_contacts[0].email",
        "required",
    ),
    (
        "client.additional_contacts",
        [ADDITIONAL, {**ADDITIONAL, "email": "nobody"}],
        "client.additional_contacts[1].email",
        "not_an_email",
    ),
    (
        "client.additional_contacts",
        [{"email": "ben@harborlight.example"}],
        "client.additional_contacts[0].contact_roles",
        "required",
    ),
    *[
        (
            "client.additional_contacts",
            [{**ADDITIONAL, "contact_roles": roles}],
            f"client.additional_contacts[0].contact_roles{where}",
            code,
        )
        for roles, where, code in (
            ([], "", "too_few_items"),
            (["security_alerts", "security_alerts"], "", "duplicate_items"),
            ([*ROLES, "security_alerts"], "", "too_many_items"),
            (["SECURITY_ALERTS"], "[0]", "not_allowed"),
            (["policy_notices", "billing"], "[1]", "not_allowed"),
            ("security_alerts", "", "wrong_type"),
        )
    ],
    *[
        (f"client.additional_contacts[0].{name}", 5, f"client.additional_contacts[0].{name}", "wrong_type")
        for name in ("cell_phone", "first_name", "last_name")
    ],
    ("client.secondary_broker_email", "nobody", "client.secondary_broker_email", "not_an_email"),
    ("client.secondary_broker_email", 5, "client.secondary_broker_email", "wrong_type"),
    ("client.metadata", ["a"], "client.metadata", "wrong_type"),
    ("client.metadata", {"text": "m" * 4_086}, "client.metadata", "too_large"),
    ("client.metadata", {str(n): n for n in range(51)}, "client.metadata", "too_many_items"),
    ("client.address", REMOVED, "client.address", "required"),
    ("client.address", None, "client.address", "wrong_type"),
    ("client.address.street", REMOVED, "client.address.street", "required"),
    ("client.address.street", "", "client.address.street", "too_short"),
    ("client.address.street", "  ", "client.address.street", "blank"),
    ("client.address.street", "S" * 256, "client.address.street", "too_long"),
    ("client.address.street2", "T" * 256, "client.address.street2", "too_long"),
    ("client.address.city", REMOVED, "client.address.city", "required"),
    ("client.address.city", " ", "client.address.city", "blank"),
    ("client.address.city", "C" * 51, "client.address.city", "too_long"),
    ("client.address.zip", REMOVED, "client.address.zip", "required"),
    ("client.address.zip", 19107, "client.address.zip", "wrong_type"),
    ("client.address.zip", "", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "1910", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "191077", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "19107-361", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "19107-36155", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "191073615", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "19107 3615", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "EC1A 1BB", "client.address.zip", "not_a_zip"),
    ("client.address.zip", "1" * 50, "client.address.zip", "not_a_zip"),
    ("client.address.zip", "1" * 51, "client.address.zip", "too_long"),
    ("client.address.state", "", "client.address.state", "not_a_state"),
    ("client.address.state", "XX", "client.address.state", "not_a_state"),
    ("client.address.state", "Ontario", "client.address.state", "not_a_state"),
    ("client.address.state", "Misery", "client.address.state", "not_a_state"),
    ("client.address.state", "P" * 50, "client.address.state", "not_a_state"),
    ("client.address.state", "P" * 51, "client.address.state", "too_long"),
    *[
        ("client.address.state", letters, "client.address.state", "not_a_state")
        for letters in ("PR", "Puerto Rico", "GU", "VI", "AS", "MP", "AE")
    ],
    ("policy.insurance_product", "cyb", "policy.insurance_product", "not_allowed"),
    ("policy.insurance_product", "GL", "policy.insurance_product", "not_allowed"),
    ("policy.program_code", "UNHEARD-OF", "policy.program_code", "unknown_program"),
    ("policy.program_code", "accountants", "policy.program_code", "unknown_program"),
    ("policy.program_code", 7, "policy.program_code", "wrong_type"),
    ("policy.quotes", [{"aggregate_limit": 1_000_000}] * 16, "policy.quotes", "too_many_items"),
    ("policy.quotes", [{}], "policy.quotes[0].aggregate_limit", "required"),
    ("policy.quotes", [[]], "policy.quotes[0]", "wrong_type"),
    *[
        ("policy.quotes[1].aggregate_limit", value, "policy.quotes[1].aggregate_limit", "not_allowed")
        for value in (
            0,
            -1,
            99_999,
            100_001,
            200_000,
            1_250_000,
            3_500_000,
            9_999_999,
            10_000_001,
            11_000_000,
        )
    ],
    *[
        ("policy.quotes[1].aggregate_limit", value, "policy.quotes[1].aggregate_limit", "not_allowed")
        for value in (1_000_000.5, True, None)
    ],
    *[
        ("policy.quotes[0].aggregate_retention", value, "policy.quotes[0].aggregate_retention", "not_allowed")
        for value in (0, 500, 1_000, 2_499, 2_501, 7_500, 20_000, 35_000, 499_999, 500_001, 1_000_000)
    ],
    *[
        ("policy.quotes[0].per_claim_limit", value, "policy.quotes[0].per_claim_limit", "not_allowed")
        for value in (0, 99_999, 300_000, 900_000, 10_000_001)
    ],
    *[
        ("policy.quotes[0].per_claim_retention", value, "policy.quotes[0].per_claim_retention", "not_allowed")
        for value in (0, 499, 501, 2_000, 7_499, 30_000, 500_001)
    ],
    ("policy.quotes[0].per_claim_limit", 2_000_000, "policy.quotes[0].per_claim_limit", "above_aggregate"),
    ("policy.quotes[0].per_claim_limit", 1_500_000, "policy.quotes[0].per_claim_limit", "above_aggregate"),
    ("policy.quotes[1].per_claim_limit", 3_000_000, "policy.quotes[1].per_claim_limit", "above_aggregate"),
]


def label(value: object) -> str:
    return "missing" if value is REMOVED else str(value)[:40]


async def test_what_the_tables_allow_is_accepted(shared: Service, subtests: pytest.Subtests) -> None:
    for path, value in ACCEPTED:
        with subtests.test(f"{path} {label(value)}"):
            await check_is_accepted(shared, changed((path, value)))


async def test_what_the_tables_do_not_allow_is_refused_with_its_path(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for path, value, where, code in REFUSED:
        with subtests.test(f"{path} {label(value)}"):
            body = (
                changed((path, value)) if "contacts[0]" not in path else with_additional_contact(path, value)
            )

            found = await problems(shared, body)

            assert (where, code) in found
            assert all(other.startswith(where) for other, _ in found), "nothing else is said to be wrong"


def with_additional_contact(path: str, value: Any) -> dict[str, Any]:
    return changed(("client.additional_contacts", [ADDITIONAL]), (path, value))


async def test_every_per_claim_retention_of_the_list_is_accepted_for_mpl(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for retention in PER_CLAIM_RETENTIONS:
        with subtests.test(str(retention)):
            option = {"aggregate_limit": 1_000_000, "per_claim_retention": retention}

            receipt = await check_is_accepted(shared, professional(("policy.quotes", [option])))

            assert receipt["quotes"][0]["requested_per_claim_retention"] == retention


async def test_the_largest_revenue_is_accepted(shared: Service) -> None:
    await check_is_accepted(shared, professional(("client.revenue", 5_000_000_000)))


async def test_one_dollar_above_the_largest_revenue_is_refused(shared: Service) -> None:
    found = await problems(shared, professional(("client.revenue", 5_000_000_001)))

    assert found == {("client.revenue", "out_of_range")}


async def test_the_industry_is_optional_for_every_product(shared: Service) -> None:
    for body in (technology(("client.industry", REMOVED)), professional(("client.industry", REMOVED))):
        await check_is_accepted(shared, body)


@pytest.mark.parametrize("place", ["00601", "00802", "96910", "09012", "34001"])
async def test_a_zip_outside_the_states_is_refused_where_no_state_says_otherwise(
    shared: Service, place: str
) -> None:
    found = await problems(shared, changed(("client.address.zip", place), ("client.address.state", REMOVED)))

    assert found == {("client.address.zip", "zip_outside_states")}


async def test_a_state_that_does_not_fit_the_zip_is_accepted(shared: Service) -> None:
    await check_is_accepted(shared, changed(("client.address.zip", "90210"), ("client.address.state", "PA")))
