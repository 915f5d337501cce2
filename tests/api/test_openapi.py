"""The OpenAPI document: a valid description of every operation, and what it says is what happens."""

from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS, operations_for
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.settings import Environment
from support.intake import changed, check_is_accepted
from support.service import Service

# Method, path, the statuses that the specification names, and whether a token is required here.
SPECIFIED = [
    ("post", "/v2/quotes", {200, 400}, True),
    ("get", "/v2/quotes/{identifier}", {200, 202, 400, 404}, True),
    ("get", "/v2/quotes/{document_type}/{identifier}", {200, 202, 400, 404}, True),
    (
        "get",
        "/v2/quotes/{identifier}/documents/{packet_template_type}/metadata",
        {200, 400, 404},
        True,
    ),
    ("post", "/v2/quotes/{identifier}/pause_renewal", {200, 422}, True),
    ("post", "/v2/binds", {200, 202, 400, 404}, True),
    ("post", "/v2/documents", {200}, True),
    ("get", "/v2/health_check", {200}, False),
    ("post", "/v2/settings/webhook_secret", {200, 400, 500}, True),
    ("get", "/v2/webhooks", {200, 400, 500}, True),
    ("post", "/v2/webhooks", {200, 400, 500}, True),
    ("delete", "/v2/webhooks/{identifier}", {200, 400, 500}, True),
]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document(OPERATIONS, base_url="https://api.bindery.example/v2")


def component(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found


def validator(document: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """Make a validator of a schema whose references lead into the document."""
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": document["components"]}, validate_formats=True
    )


def answer_schema(document: dict[str, Any], method: str, path: str, status: int) -> dict[str, Any]:
    answer = document["paths"][path][method]["responses"][str(status)]
    schema: dict[str, Any] = answer["content"]["application/json"]["schema"]
    return schema


@pytest.mark.parametrize(
    "environment", [Environment.DEMO, pytest.param(Environment.PRODUCTION, marks=pytest.mark.long)]
)
def test_the_document_is_valid_openapi_3_1(environment: Environment) -> None:
    document = openapi_document(operations_for(environment), base_url="https://api.bindery.example/v2")

    assert document["openapi"] == "3.1.0"
    assert document["info"]["version"] == "2.13.0"
    assert [str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_every_schema_is_valid_json_schema(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_every_operation_of_the_table_is_described_once(document: dict[str, Any]) -> None:
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    names = [
        operation["operationId"] for methods in document["paths"].values() for operation in methods.values()
    ]

    assert described == {(row.method, row.path) for row in OPERATIONS}
    assert len(set(names)) == len(names) == len(OPERATIONS)


@pytest.mark.parametrize(("method", "path", "statuses", "needs_token"), SPECIFIED)
def test_every_operation_of_the_specification_is_there(
    document: dict[str, Any], method: str, path: str, statuses: set[int], needs_token: bool
) -> None:
    operation = document["paths"][path][method]

    assert statuses <= {int(status) for status in operation["responses"]}
    assert operation["security"] == ([{"bearer": []}] if needs_token else [])
    assert operation["summary"]
    if needs_token:
        assert "401" in operation["responses"]


def test_production_describes_nothing_that_only_the_demo_has() -> None:
    paths = openapi_document(operations_for(Environment.PRODUCTION), base_url="https://x.example/v2")["paths"]

    assert [path for path in paths if "/demo/" in path] == []


def test_parameters_of_a_path_are_described(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        in_path = {piece[1:-1] for piece in path.split("/") if piece.startswith("{")}
        for operation in methods.values():
            described = [p for p in operation.get("parameters", []) if p["in"] == "path"]
            assert {parameter["name"] for parameter in described} == in_path
            assert all(parameter["required"] and parameter["description"] for parameter in described)


def given(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of an object whose fields are not null, which any optional one may be."""
    fields = {
        name: {
            **field,
            **next((branch for branch in field.get("anyOf", ()) if branch.get("type") != "null"), {}),
        }
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": fields}


def test_limits_enums_and_defaults_of_the_specification_are_in_the_schemas(document: dict[str, Any]) -> None:
    client = given(component(document, "Client"))
    address = given(component(document, "Address"))["properties"]
    contact = given(component(document, "InsuredMainContact"))
    roles = component(document, "AdditionalContact")["properties"]["contact_roles"]
    policy = given(component(document, "Policy"))["properties"]
    option = given(component(document, "QuoteOption"))

    assert client["required"] == ["name", "revenue", "broker_email", "address"]
    assert client["properties"]["name"]["maxLength"] == 400
    assert client["properties"]["revenue"]["minimum"] == 1
    assert client["properties"]["revenue"]["maximum"] == 5_000_000_000
    assert client["properties"]["domains"]["maxItems"] == 75
    assert client["properties"]["domains"]["items"]["maxLength"] == 255
    assert client["properties"]["domains"]["default"] == []
    assert client["properties"]["industry"]["pattern"] == "^([0-9]{6}|00)$"
    lengths = {name: address[name]["maxLength"] for name in address}
    assert lengths == {"street": 255, "city": 50, "zip": 50, "state": 50, "street2": 255}
    assert contact["additionalProperties"] is False
    for name in ("email", "cell_phone", "first_name", "last_name"):
        assert (contact["properties"][name]["minLength"], contact["properties"][name]["maxLength"]) == (
            1,
            255,
        )
    assert (roles["minItems"], roles["maxItems"], roles["uniqueItems"]) == (1, 2, True)
    assert policy["insurance_product"]["default"] == "CYB"
    assert policy["program_code"]["default"] == ""
    assert policy["quotes"]["maxItems"] == 15
    assert option["required"] == ["aggregate_limit"]
    assert len(option["properties"]["aggregate_limit"]["enum"]) == 18
    assert len(option["properties"]["aggregate_retention"]["enum"]) == 11
    assert len(option["properties"]["per_claim_limit"]["enum"]) == 18
    assert len(option["properties"]["per_claim_retention"]["enum"]) == 17
    assert len(component(document, "QuoteStatus")["enum"]) == 25
    assert component(document, "InsuranceProduct")["enum"] == ["CYB", "MPL", "TEO"]


def test_schemas_and_many_fields_are_described_and_have_examples(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("description"), f"{name} has no description"
    client = component(document, "Client")["properties"]
    assert client["name"]["examples"] == ["Harborlight Bakery LLC"]
    assert client["company_id"]["description"]


def test_every_body_has_an_example_that_its_schema_accepts(document: dict[str, Any]) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                assert validator(document, content["schema"]).is_valid(content["example"])


async def test_the_example_body_is_accepted_by_the_service(service: Service) -> None:
    answer = await service.http.get("/v2/openapi.json")
    content = answer.json()["paths"]["/v2/quotes"]["post"]["requestBody"]["content"]["application/json"]

    assert content["example"] == CREATE_QUOTES_EXAMPLE
    receipt = await check_is_accepted(service, content["example"])
    schema = answer_schema(answer.json(), "post", "/v2/quotes", 200)
    assert validator(answer.json(), schema).is_valid(receipt)


async def test_the_document_is_served_with_the_deliveries_and_without(service: Service) -> None:
    whole = (await service.http.get("/v2/openapi.json")).json()
    same, without = [
        (await service.http.get(f"/v2/openapi.json?webhooks={asked}")).json() for asked in ("yes", "no")
    ]
    refused = await service.http.get("/v2/openapi.json?webhooks=maybe")

    assert same == whole
    assert set(whole) - set(without) == {"webhooks"}
    assert without["paths"] == whole["paths"]
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "webhooks")


async def test_what_the_service_answers_keeps_to_its_schemas(working_service: Service) -> None:
    document = (await working_service.http.get("/v2/openapi.json")).json()
    receipt = await working_service.submit(
        changed(("policy.quotes", [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 10_000_000}]))
    )
    for number, status in enumerate(("published", "quote_referred")):
        quote = await working_service.ready(receipt["quotes"][number]["quote_identifier"])
        schema = answer_schema(document, "get", "/v2/quotes/{identifier}", 200)

        assert quote["quote_status"] == status
        assert [str(e) for e in validator(document, schema).iter_errors(quote)] == []

    refused = (await working_service.post("/v2/quotes", changed(("client.revenue", 0)))).json()
    checked = (await working_service.post("/v2/quotes/validate", changed(("client.revenue", 0)))).json()
    questions = (await working_service.get("/v2/questions/TEO")).json()
    health = (await working_service.get("/v2/health_check")).json()
    for method, path, status_code, body in (
        ("post", "/v2/quotes", 400, refused),
        ("post", "/v2/quotes/validate", 200, checked),
        ("get", "/v2/questions/{product}", 200, questions),
        ("get", "/v2/health_check", 200, health),
    ):
        schema = answer_schema(document, method, path, status_code)
        assert [str(e) for e in validator(document, schema).iter_errors(body)] == []


async def test_a_quote_that_is_not_ready_keeps_to_its_schema(service: Service) -> None:
    document = (await service.http.get("/v2/openapi.json")).json()
    receipt = await service.submit()

    answer = await service.get(f"/v2/quotes/{receipt['quotes'][0]['quote_identifier']}")

    schema = answer_schema(document, "get", "/v2/quotes/{identifier}", 202)
    assert answer.status_code == 202
    assert [str(e) for e in validator(document, schema).iter_errors(answer.json())] == []
