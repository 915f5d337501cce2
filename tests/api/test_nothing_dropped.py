"""What a request says beyond the contract is never lost without a word."""

from datetime import timedelta
from typing import Any

import pytest

from support.intake import (
    REMOVED,
    changed,
    check_is_accepted,
    nothing_written,
    problems,
    professional,
    technology,
)
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTACT = {"email": "ann@harborlight.example", "cell_phone": None, "first_name": None, "last_name": None}
ADDITIONAL = {**CONTACT, "contact_roles": ["policy_notices"], "pager": None}


async def warnings(service: Service, body: Any) -> list[tuple[str, str]]:
    """Return path and code of every warning of `validate`, which finds nothing wrong."""
    async with nothing_written(service):
        answer = await service.post("/v2/quotes/validate", body)
    assert answer.json()["errors"] == []
    assert all(warning["message"] for warning in answer.json()["warnings"])
    return [(warning["path"], warning["code"]) for warning in answer.json()["warnings"]]


async def stored(service: Service, receipt: dict[str, Any], column: str) -> Any:
    return await service.runtime.database.pool.fetchval(
        f"select {column} from submissions where company_id = $1", int(receipt["company_id"])
    )


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("policy.date", "did you mean dates?"),
        ("policy.quotes[0].agregate_retention", "did you mean aggregate_retention?"),
        ("policy.options", "the fields are dates, insurance_product, program_code, quotes"),
        ("client.brokerEmail", "did you mean broker_email?"),
        ("client.address.State", "did you mean state?"),
        ("client.state", "did you mean address.state?"),
        ("policy.effective", "did you mean dates.effective?"),
        ("questions[3].answer", "the fields are id, value"),
        ("polcy", "did you mean policy?"),
    ],
)
async def test_an_unknown_field_is_a_warning_that_names_what_was_meant(
    shared: Service, path: str, meant: str
) -> None:
    async with nothing_written(shared):
        answer = await shared.post("/v2/quotes/validate", changed((path, 5)))

    assert answer.json()["valid"] is True
    assert answer.json()["warnings"] == [
        {
            "path": path,
            "code": "unknown_field",
            "message": f"{path} is not a known field and was ignored; {meant}",
        }
    ]


async def test_unknown_fields_of_a_request_that_is_refused_are_named_too(shared: Service) -> None:
    answer = await shared.post("/v2/quotes/validate", changed(("policy.date", 5), ("client.revenue", 0)))

    assert [error["code"] for error in answer.json()["errors"]] == ["out_of_range"]
    assert [warning["path"] for warning in answer.json()["warnings"]] == ["policy.date"]


async def test_of_many_unknown_fields_twenty_are_named_and_the_rest_is_counted(shared: Service) -> None:
    few = {f"extra_{number}": number for number in range(20)}
    many = {f"extra_{number}": number for number in range(5_000)}

    named = await warnings(shared, {**changed(), **few})
    answer = await shared.post("/v2/quotes/validate", {**changed(), **many})

    assert len(named) == 20
    assert len(answer.json()["warnings"]) == 21
    assert answer.json()["warnings"][20]["message"] == "4,980 more fields are not known and were ignored"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("client.metadata", {"anything": {"policy": None}}),
        ("client.additional_contacts", [{**ADDITIONAL, "fax": "1"}]),
    ],
)
async def test_what_may_hold_other_fields_gives_no_warning(shared: Service, path: str, value: Any) -> None:
    assert await warnings(shared, changed((path, value))) == []


async def test_an_unknown_field_of_the_main_contact_is_refused_with_the_name_that_was_meant(
    shared: Service,
) -> None:
    body = changed(("client.insured_main_contact", {"email": "ann@harborlight.example", "firstname": "Ann"}))

    answer = await shared.post("/v2/quotes", body)

    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {
            "path": "client.insured_main_contact.firstname",
            "code": "unknown_field",
            "message": "is not allowed here; did you mean first_name?",
        }
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *[
            (f"client.{name}", None)
            for name in (
                "company_id", "dba", "domains", "industry", "insured_main_contact", "additional_contacts",
                "secondary_broker_email", "metadata", "address.state", "address.street2",
            )
        ],
        *[(f"policy.{name}", None) for name in ("dates", "insurance_product", "program_code", "quotes")],
        *[
            (f"policy.quotes[0].{name}", None)
            for name in ("aggregate_retention", "per_claim_limit", "per_claim_retention")
        ],
        ("client.insured_main_contact", CONTACT),
        ("client.additional_contacts", [ADDITIONAL]),
        (
            "policy.dates",
            {
                "effective": "2026-12-01",
                "expiration": None,
                "mpl_retroactive_date": None,
                "teo_retroactive_date": None,
            },
        ),
    ],
    ids=str,
)  # fmt: skip
async def test_null_says_that_an_optional_field_is_not_given(shared: Service, path: str, value: Any) -> None:
    receipt = await check_is_accepted(shared, changed((path, value)))

    assert "null" not in (await stored(shared, receipt, "body")).replace('"pager":null', "")


async def test_null_means_what_leaving_out_means(shared: Service) -> None:
    given = changed(("client.industry", None), ("client.address.state", None), ("policy.quotes", None))
    left_out = changed(
        ("client.industry", REMOVED), ("client.address.state", REMOVED), ("policy.quotes", REMOVED)
    )

    facts = [await stored(shared, await shared.submit(body), "facts") for body in (given, left_out)]

    assert facts[0] == facts[1]


@pytest.mark.parametrize("path", ["client.name", "client.address.zip", "policy.quotes[0].aggregate_limit"])
async def test_null_in_place_of_a_required_field_is_refused(shared: Service, path: str) -> None:
    assert [where for where, _ in await problems(shared, changed((path, None)))] == [path]


@pytest.mark.parametrize("written", ["2500000.0", "2.5e6", "2500000.000", "25e5"])
async def test_a_whole_number_may_be_written_as_a_float(shared: Service, written: str) -> None:
    body = changed(
        ("client.revenue", float(written)),
        ("policy.quotes", [{"aggregate_limit": 1e6, "aggregate_retention": 5e3, "per_claim_limit": 5e5}]),
        ("questions[1].value", 25.0),
        ("client.metadata", {"ratio": 1.0}),
    )

    receipt = await check_is_accepted(shared, body)

    assert receipt["quotes"][0]["requested_aggregate_limit"] == 1_000_000
    assert receipt["quotes"][0]["requested_aggregate_retention"] == 5_000
    assert receipt["quotes"][0]["requested_per_claim_limit"] == 500_000
    assert await stored(shared, receipt, "revenue") == 2_500_000
    kept = await stored(shared, receipt, "body")
    assert '"revenue":2500000,' in kept
    assert '"ratio":1.0' in kept, "the partner's own notes are as they were sent"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("client.revenue", "wrong_type"),
        ("policy.quotes[0].aggregate_limit", "not_allowed"),
        ("policy.quotes[0].aggregate_retention", "not_allowed"),
        ("questions[1].value", "wrong_type"),
    ],
)
async def test_a_number_with_a_fraction_is_refused(shared: Service, path: str, code: str) -> None:
    assert await problems(shared, changed((path, 2_500.5))) == {(path, code)}


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        (changed(("client.industry", REMOVED)), "client.industry", "industry_missing"),
        (changed(("client.industry", "999999")), "client.industry", "unknown_industry"),
        (professional(("client.industry", REMOVED)), "client.industry", "industry_missing"),
        (changed(("client.address.zip", "90210")), "client.address.zip", "zip_outside_state"),
        (
            changed(("policy.quotes", [{"aggregate_limit": 1_000_000, "per_claim_retention": 5_000}])),
            "policy.quotes[0].per_claim_retention",
            "no_effect",
        ),
        (
            professional(
                ("client.revenue", 2_500_000),
                ("policy.quotes[0].per_claim_retention", 500),
            ),
            "policy.quotes[0].per_claim_retention",
            "retention_raised",
        ),
        (
            changed(("policy.dates", {"effective": "2026-12-01", "mpl_retroactive_date": "2026-01-01"})),
            "policy.dates.mpl_retroactive_date",
            "no_effect",
        ),
    ],
)
async def test_validate_warns_of_what_the_quote_would_correct(
    shared: Service, body: Any, path: str, code: str
) -> None:
    async with nothing_written(shared):
        answer = await shared.post("/v2/quotes/validate", body)

    assert (path, code) in {(warning["path"], warning["code"]) for warning in answer.json()["warnings"]}


async def test_no_industry_is_asked_of_technology_firms(shared: Service) -> None:
    assert await warnings(shared, technology(("client.industry", REMOVED))) == []
    assert await warnings(shared, technology(("client.industry", "00"))) == []


@pytest.mark.parametrize(
    ("days", "code"),
    [(-8, "no_longer_bindable"), (-7, None), (0, None), (365, None), (366, "not_bindable_yet")],
)
async def test_an_effective_date_that_cannot_be_bound_is_a_warning(
    shared: Service, days: int, code: str | None
) -> None:
    today = await shared.runtime.database.today()
    effective = (today + timedelta(days=days)).isoformat()

    found = await warnings(shared, changed(("policy.dates.effective", effective)))

    assert found == ([("policy.dates.effective", code)] if code else [])


async def test_an_effective_date_before_the_first_tariff_is_refused_with_its_day(shared: Service) -> None:
    await check_is_accepted(shared, changed(("policy.dates.effective", "2026-01-01")))

    for effective in ("2025-12-31", "1999-01-01", "0001-01-01"):
        async with nothing_written(shared):
            answer = await shared.post("/v2/quotes", changed(("policy.dates.effective", effective)))

        assert answer.status_code == 400
        assert answer.json()["errors"] == [
            {
                "path": "policy.dates.effective",
                "code": "before_first_tariff",
                "message": "must not be before 2026-01-01, the first day of the first tariff",
            }
        ]


@pytest.mark.parametrize("industry", ["31181", "3118111", "31181X", ""])
async def test_an_industry_of_another_shape_is_one_problem_in_plain_words(
    shared: Service, industry: str
) -> None:
    answer = await shared.post("/v2/quotes", changed(("client.industry", industry)))

    assert answer.json()["errors"] == [
        {"path": "client.industry", "code": "wrong_format", "message": "must be six digits"}
    ]


async def test_a_per_claim_limit_that_is_not_listed_must_equal_the_aggregate(shared: Service) -> None:
    body = changed(("policy.quotes", [{"aggregate_limit": 1_000_000, "per_claim_limit": 900_000}]))

    answer = await shared.post("/v2/quotes", body)

    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("policy.quotes[0].per_claim_limit", "not_allowed")
    assert problem["message"].startswith("must equal aggregate_limit or be one of 100000, 250000, 500000")
