"""POST `/quotes/validate`: the same checks, and nothing is written."""

from typing import Any

import pytest

from support.intake import changed, nothing_written, technology
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def validated(service: Service, body: Any, **headers: str) -> dict[str, Any]:
    async with nothing_written(service):
        answer = await service.post("/v2/quotes/validate", body, **headers)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    assert set(shown) == {"valid", "errors", "errors_left_out", "warnings", "missing", "referral_reasons"}
    return shown


async def test_a_good_request_is_valid(shared: Service) -> None:
    assert await validated(shared, changed()) == {
        "valid": True,
        "errors": [],
        "errors_left_out": 0,
        "warnings": [],
        "missing": [],
        "referral_reasons": [],
    }


async def test_missing_answers_stand_in_both_lists(shared: Service) -> None:
    shown = await validated(shared, changed(("questions", [{"id": "Q2134", "value": True}])))

    assert shown["valid"] is False
    assert shown["missing"] == ["Q2314", "Q2244", "Q2159", "Q2142", "Q2300", "Q2301", "Q2146", "Q2147"]
    assert [error["code"] for error in shown["errors"]] == ["missing_answer"] * 8
    assert [error["path"] for error in shown["errors"]] == ["questions"] * 8


async def test_it_says_of_a_bad_request_what_posting_it_would_say(shared: Service) -> None:
    body = changed(
        ("client.revenue", 0), ("client.address.zip", "1"), ("policy.quotes[1].aggregate_limit", 5)
    )

    shown = await validated(shared, body)
    refused = await shared.post("/v2/quotes", body)

    assert shown["valid"] is False
    assert shown["errors"] == refused.json()["errors"]
    assert len(shown["errors"]) == 3


@pytest.mark.parametrize("body", [{}, [], 5, "text", None, True, {"client": 1, "policy": 2, "questions": 3}])
async def test_any_well_formed_json_is_looked_at(shared: Service, body: Any) -> None:
    async with nothing_written(shared):
        answer = await shared.http.post(
            "/v2/quotes/validate",
            content=b"null" if body is None else None,
            json=body,
            headers={**shared.headers, "content-type": "application/json"},
        )

    assert answer.status_code == 200
    assert answer.json()["valid"] is False
    assert answer.json()["errors"] != []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (changed(("policy.quotes", [{"aggregate_limit": 3_000_000}])), None),
        (changed(("policy.quotes", [{"aggregate_limit": 4_000_000}])), "limit_above_authority"),
        (technology(("policy.quotes", [{"aggregate_limit": 4_000_000}])), "limit_above_authority"),
    ],
)
async def test_it_foresees_what_would_be_referred(
    shared: Service, body: dict[str, Any], code: str | None
) -> None:
    shown = await validated(shared, body)

    assert shown["valid"] is True
    assert [reason["code"] for reason in shown["referral_reasons"]] == ([code] if code else [])


async def test_a_request_that_the_demo_blocks_is_not_valid(shared: Service) -> None:
    shown = await validated(shared, changed(("client.name", "Seaside Widgets (bor)")))

    assert shown["valid"] is False
    assert [(error["path"], error["code"]) for error in shown["errors"]] == [
        ("client.domains", "domain_exists"),
        ("client.address", "address_exists"),
    ]


async def test_it_takes_no_idempotency_key(shared: Service) -> None:
    first = await validated(shared, changed(), Idempotency_Key="validate-1")
    second = await validated(shared, changed(("client.revenue", 0)), Idempotency_Key="validate-1")

    assert (first["valid"], second["valid"]) == (True, False)


async def test_what_is_not_json_is_refused(shared: Service) -> None:
    answer = await shared.http.post(
        "/v2/quotes/validate", content=b"{", headers={**shared.headers, "content-type": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "malformed_json"
