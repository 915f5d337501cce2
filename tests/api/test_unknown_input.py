"""One rule for what nobody knows, in query, body and form: it is named, with the nearest known name."""

import re
from typing import Any

import pytest

from bindery.api.operation import Operation
from bindery.api.operations import operations_for
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE, EXAMPLE_WEBHOOK
from bindery.contract.fields import EXAMPLE_QUOTE
from bindery.settings import Environment
from support.intake import REMOVED, changed, nothing_written
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

OF_THE_CONTRACT = [row for row in operations_for(Environment.DEMO) if row.is_versioned]
VALUES = {
    "product": "CYB",
    "document_type": "quote_letter",
    "packet_template_type": "quote",
    "company_id": "482913750",
    "signature_request_id": EXAMPLE_WEBHOOK,
    "identifier": EXAMPLE_QUOTE,
    "change": EXAMPLE_WEBHOOK,
}


def path_of(row: Operation) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: VALUES[found[1]], row.path)


def found(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.text
    return [(problem["path"], problem["code"]) for problem in answer.json()["errors"]]


@pytest.mark.parametrize("row", OF_THE_CONTRACT, ids=lambda row: row.name)
async def test_every_operation_refuses_a_parameter_that_it_does_not_have(
    shared: Service, row: Operation
) -> None:
    answer = await shared.http.request(row.method, f"{path_of(row)}?zzz=1&zzz=2", headers=shared.headers)

    assert ("zzz", "unknown_parameter") in found(answer)
    (problem,) = [problem for problem in answer.json()["errors"] if problem["path"] == "zzz"]
    assert all(name in problem["message"] for name in row.query_names)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("events?typ=quote.published", "is not a parameter of this operation; did you mean type?"),
        ("questions/CYB?reveneu=5", "is not a parameter of this operation; did you mean revenue?"),
        ("products/CYB?x=1", "is not known: this operation takes no parameters in the query"),
        ("quotes?status=published", "is not a parameter of this operation; did you mean quote_status?"),
        ("openapi.json?webhook=no", "is not a parameter of this operation; did you mean webhooks?"),
    ],
)
async def test_a_misspelled_parameter_is_refused_with_the_nearest_name(
    shared: Service, path: str, message: str
) -> None:
    answer = await shared.get(f"/v2/{path}")

    assert [problem["message"] for problem in answer.json()["errors"]] == [message]


async def test_unknown_names_and_wrong_values_of_a_query_are_named_at_once(shared: Service) -> None:
    answer = await shared.get("/v2/events?typ=x&limit=0&after=x&level=company")

    assert found(answer) == [
        ("typ", "unknown_parameter"),
        ("limit", "out_of_range"),
        ("after", "bad_cursor"),
        ("level", "not_allowed"),
    ]


async def test_pages_and_probes_take_whatever_a_link_or_a_balancer_adds(shared: Service) -> None:
    for path in ("/docs?from=mail", "/docs/webhooks?x=1", "/livez?x=1", "/readyz?x=1"):
        assert (await shared.get(path)).status_code == 200, path


@pytest.mark.parametrize(
    ("path", "body", "missing", "warned"),
    [
        (
            "quotes",
            changed(("client.revenue", REMOVED), ("client.revenu", 2_500_000)),
            "client.revenue",
            ("client.revenu", "did you mean revenue?"),
        ),
        ("binds", {"quote_id": EXAMPLE_QUOTE}, "quote_identifier", ("quote_id", "quote_identifier?")),
        (
            "webhooks",
            {"url": "https://partner.example"},
            "endpoint",
            ("url", "the fields are endpoint, policy_level, quote_level"),
        ),
    ],
)
async def test_a_refusal_names_the_field_that_was_sent_and_nobody_knows(
    shared: Service, path: str, body: Any, missing: str, warned: tuple[str, str]
) -> None:
    async with nothing_written(shared):
        answer = await shared.post(f"/v2/{path}", body)

    assert (missing, "required") in found(answer)
    (warning,) = answer.json()["warnings"]
    assert (warning["path"], warning["code"]) == (warned[0], "unknown_field")
    assert warning["message"].endswith(warned[1])
    assert answer.json()["message"].endswith(warning["message"])


async def test_a_refusal_for_another_reason_names_unknown_fields_too(shared: Service) -> None:
    body = {"quote_identifier": EXAMPLE_QUOTE, "dates": {"effective": "2026-09-01"}, "app_atestation": True}

    answer = await shared.post("/v2/binds", body)

    assert answer.status_code == 404
    assert [warning["path"] for warning in answer.json()["warnings"]] == ["app_atestation"]
    assert "did you mean app_attestation?" in answer.json()["message"]


async def test_a_refusal_without_unknown_fields_has_no_warnings(shared: Service) -> None:
    answer = await shared.post("/v2/quotes", changed(("client.revenue", 0)))

    assert "warnings" not in answer.json()
    assert answer.json()["message"] == "client.revenue: must be at least 1"


@pytest.mark.parametrize(
    ("path", "field", "meant"),
    [
        (f"webhooks/{EXAMPLE_WEBHOOK}/replay", "sinse", "since"),
        (f"demo/webhooks/{EXAMPLE_WEBHOOK}/fail", "time", "times"),
        ("demo/clock", "days", "advance_days"),
        (f"quotes/{EXAMPLE_QUOTE}/request_cancellation", "efective", "effective"),
    ],
)
async def test_a_closed_body_refuses_an_unknown_field_by_the_nearest_name(
    shared: Service, path: str, field: str, meant: str
) -> None:
    answer = await shared.post(f"/v2/{path}", {field: 2})

    assert (field, "unknown_field") in found(answer)
    messages = {problem["path"]: problem["message"] for problem in answer.json()["errors"]}
    assert messages[field] == f"is not allowed here; did you mean {meant}?"


async def test_a_form_is_refused_with_all_that_is_wrong_with_it(shared: Service) -> None:
    answer = await shared.http.post(
        "/v2/documents",
        files={"contingencyy": (None, "100007"), "quote_id": (None, EXAMPLE_QUOTE)},
        headers=shared.headers,
    )

    assert found(answer) == [
        ("contingencyy", "unknown_field"),
        ("quote_id", "unknown_field"),
        ("quote_identifier", "required"),
        ("file", "required"),
    ]
    hints = [problem["message"].partition("did you mean ")[2] for problem in answer.json()["errors"]]
    assert hints == ["contingency?", "quote_identifier?", "", ""]


@pytest.mark.parametrize("row", OF_THE_CONTRACT, ids=lambda row: row.name)
async def test_the_examples_of_parameters_are_taken(shared: Service, row: Operation) -> None:
    for parameter in row.parameters:
        if parameter.where == "query" and row.method == "GET":
            values = parameter.example if isinstance(parameter.example, list) else [parameter.example]
            needed = {other.name: str(other.example) for other in row.parameters if other.is_required}
            sent = {**needed, parameter.name: [str(value) for value in values]}
            answer = await shared.http.get(path_of(row), params=sent, headers=shared.headers)
            # Quote and webhook of the examples are nobody's.
            code = "" if answer.status_code == 200 else answer.json()["code"]
            assert code in {"", "not_found", "unknown_webhook"}, f"{parameter.name}: {answer.text}"


async def test_the_example_of_a_request_is_taken(shared: Service) -> None:
    answer = await shared.post("/v2/quotes/validate", CREATE_QUOTES_EXAMPLE)

    assert (answer.json()["valid"], answer.json()["warnings"]) == (True, [])
