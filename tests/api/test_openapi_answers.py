"""Every answer of the OpenAPI document has its headers, an example and what can be done next."""

import json
import re
from importlib import resources
from typing import Any

import httpx
import jsonschema_rs
import pytest
from tools.example_story import record

from bindery.api.openapi import EXAMPLES_FILE, openapi_document
from bindery.api.operation import IDEMPOTENCY_KEY
from bindery.api.operations import OPERATIONS
from bindery.settings import Environment
from support.service import Service, request_body

Schema = dict[str, Any]
DOCUMENT: Schema = openapi_document(OPERATIONS, base_url="https://api.bindery.example/v2")
ADDRESS = "urn:openapi"
REGISTRY = jsonschema_rs.Registry([(ADDRESS, DOCUMENT)])
NOT_AN_EXAMPLE = {"application/pdf", "text/html"}
STALE = "run python -m tools.examples against a demo, having added what is new to tools/example_story.py"


def resolved(part: Schema, document: Schema = DOCUMENT) -> Schema:
    """Follow a reference to a shared answer or header."""
    while "$ref" in part and "/schemas/" not in part["$ref"]:
        kind, name = part["$ref"].split("/")[2:]
        part = document["components"][kind][name]
    return part


def answers() -> list[tuple[str, str, Schema]]:
    return [
        (operation["operationId"], status, resolved(response))
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
    ]


def answer_of(operation: str, status: int) -> Schema:
    (found,) = [answer for name, given, answer in answers() if (name, given) == (operation, str(status))]
    return found


def problems(schema: Schema, value: object) -> list[str]:
    # The document is read once; with a copy of it in each schema it would be read hundreds of times.
    leading_there = json.loads(json.dumps(schema).replace('"$ref": "#/', f'"$ref": "{ADDRESS}#/'))
    validator = jsonschema_rs.Draft202012Validator(leading_there, validate_formats=True, registry=REGISTRY)
    return [str(error) for error in validator.iter_errors(value)]


def test_every_answer_in_text_has_an_example_that_keeps_to_its_schema() -> None:
    count = 0
    for operation, status, answer in answers():
        for media_type, content in answer.get("content", {}).items():
            if media_type not in NOT_AN_EXAMPLE:
                assert "example" in content, f"{operation} {status}: {STALE}"
                assert problems(content["schema"], content["example"]) == [], f"{operation} {status}: {STALE}"
                count += 1
    assert count > 150


def test_every_parameter_and_header_has_an_example_that_keeps_to_its_schema() -> None:
    described = [
        parameter
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
    ]
    described += DOCUMENT["components"]["headers"].values()
    described += [
        header for event in DOCUMENT["webhooks"].values() for header in event["post"].get("parameters", ())
    ]

    for item in described:
        assert item["description"]
        assert problems(item["schema"], item["example"]) == [], item
    assert len(described) > 80


def test_every_delivery_has_an_example_that_keeps_to_its_schema() -> None:
    for name, event in DOCUMENT["webhooks"].items():
        (content,) = event["post"]["requestBody"]["content"].values()
        assert problems(content["schema"], content["example"]) == [], name


@pytest.mark.long
async def test_the_examples_have_the_shape_of_what_the_service_answers(working_service: Service) -> None:
    recorded = await record(working_service.http, working_service.token)
    kept = json.loads((resources.files("bindery.api") / EXAMPLES_FILE).read_bytes())

    assert recorded.shared.keys() == kept["shared"].keys(), STALE
    assert {name: set(said) for name, said in recorded.answers.items()} == {
        name: set(said) for name, said in kept["answers"].items()
    }, STALE
    for operation, by_status in recorded.answers.items():
        for status, said in by_status.items():
            (content,) = answer_of(operation, int(status))["content"].values()
            assert problems(content["schema"], said) == [], f"{operation} {status}"
            assert keys(said) == keys(content["example"]), f"{operation} {status}: {STALE}"
    for name, said in recorded.shared.items():
        (content,) = DOCUMENT["components"]["responses"][name]["content"].values()
        assert keys(said) == keys(content["example"]), f"{name}: {STALE}"


def keys(said: object) -> set[str]:
    return set(said) if isinstance(said, dict) else set()


@pytest.mark.parametrize("environment", Environment)
def test_every_tag_operation_and_field_is_described(environment: Environment) -> None:
    schemas = DOCUMENT["components"]["schemas"]

    def is_described(field: Schema) -> bool:
        target = schemas[field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
        return bool(field.get("description") or target.get("description"))

    undescribed = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, described in schema.get("properties", {}).items()
        if not is_described(described)
    ]
    assert undescribed == []
    assert [tag for tag in DOCUMENT["tags"] if not tag["description"]] == []
    for section in ("paths", "webhooks"):
        for methods in DOCUMENT[section].values():
            for operation in methods.values():
                assert operation["summary"], operation["operationId"]
                assert operation["description"], operation["operationId"]
    assert {"name", "url"} <= set(DOCUMENT["info"]["contact"])


def test_every_answer_has_the_headers_that_all_have() -> None:
    for operation, status, answer in answers():
        assert {"X-Request-Id", "Cache-Control"} <= set(answer["headers"]), f"{operation} {status}"
        for header in answer["headers"].values():
            assert resolved(header)["description"]


@pytest.mark.parametrize(
    ("operation", "status", "header"),
    [
        ("get_quote", 200, "ETag"),
        ("get_quote", 304, "ETag"),
        ("get_quote", 200, "Preference-Applied"),
        ("get_quote", 202, "Retry-After"),
        ("get_quote", 401, "WWW-Authenticate"),
        ("get_quote", 429, "Retry-After"),
        ("get_quote", 503, "Retry-After"),
        ("create_quotes", 200, "Idempotent-Replayed"),
        ("create_quotes", 409, "Retry-After"),
        ("download_document", 200, "Content-Disposition"),
        ("download_document", 200, "Accept-Ranges"),
        ("download_document", 206, "Content-Range"),
        ("download_document", 304, "ETag"),
        ("download_document", 416, "Content-Range"),
        ("packet_metadata", 304, "ETag"),
        ("docs", 200, "Vary"),
    ],
)
def test_a_header_that_is_sent_is_described(operation: str, status: int, header: str) -> None:
    assert header in answer_of(operation, status)["headers"]


def test_what_follows_from_an_operation_is_among_its_answers() -> None:
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            statuses = set(operation["responses"])
            assert "400" in statuses
            if operation["security"]:
                assert {"401", "500", "503"} <= statuses, operation["operationId"]
            if "requestBody" in operation:
                assert {"413", "415"} <= statuses, operation["operationId"]
            if any(row["name"] == IDEMPOTENCY_KEY.name for row in operation.get("parameters", ())):
                assert {"400", "409", "422"} <= statuses, operation["operationId"]


def test_links_lead_to_operations_and_name_their_parameters() -> None:
    by_name = {
        operation["operationId"]: operation
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
    }
    linked = [(name, link) for name, _, answer in answers() for link in answer.get("links", {}).values()]

    for _, link in linked:
        named = {row["name"] for row in by_name[link["operationId"]].get("parameters", ())}
        assert set(link.get("parameters", ())) <= named
    assert ("create_quotes", "get_quote") in {(name, link["operationId"]) for name, link in linked}
    assert ("get_quote", "bind_quote") in {(name, link["operationId"]) for name, link in linked}
    assert len(linked) > 10


def test_a_document_is_described_as_bytes() -> None:
    for status in (200, 206):
        schema = answer_of("download_document", status)["content"]["application/pdf"]["schema"]
        assert schema == {"type": "string", "format": "binary", "contentMediaType": "application/pdf"}
    upload = DOCUMENT["components"]["schemas"]["UploadForm"]["properties"]["file"]
    assert upload["format"] == "binary"
    assert "minLength" not in upload, "generators would ask a file for the length of a text"


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("Idempotency-Key", ["order-17", "a b~!", "x" * 255], ["", "ü", "tab\t", "x" * 256]),
        ("after", ["0", "17"], ["", "017", "-1", "x"]),
        ("identifier", ["a", "A-1_b", "x" * 64], ["", "a b", "x" * 65]),
    ],
)
def test_a_parameter_says_what_is_taken(name: str, good: list[str], bad: list[str]) -> None:
    schemas = [
        parameter["schema"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == name
    ]

    assert schemas
    for schema in schemas:
        assert [value for value in good if problems(schema, value)] == []
        assert [value for value in bad if not problems(schema, value)] == []


def test_a_cursor_says_what_it_looks_like() -> None:
    by_list = {
        operation["operationId"]: parameter["schema"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "cursor"
    }

    numbered = by_list.pop("list_deliveries")
    assert [value for value in ("0", "17") if problems(numbered, value)] == []
    assert [value for value in ("", "017", "-1", "x") if not problems(numbered, value)] == []
    assert set(by_list) == {"list_quotes", "list_policies", "list_companies"}
    for schema in by_list.values():
        assert [value for value in ("A", "x" * 36, "a-_Z") if problems(schema, value)] == []
        assert [value for value in ("", "x" * 37, "a+b", "=") if not problems(schema, value)] == []


@pytest.mark.parametrize(
    ("schema", "field", "form"),
    [
        ("QuotePublishedEvent", "timestamp", "date-time"),
        ("WebhookBody", "created_at", "date-time"),
        ("WebhookBody", "endpoint", "uri"),
        ("WebhookRegistration", "endpoint", "uri"),
        ("Client", "broker_email", "email"),
        ("InsuredMainContact", "email", "email"),
        ("PolicyDates", "effective", "date"),
        ("QuoteBody", "quote_identifier", "uuid"),
        ("QuoteBody", "aggregate_limit", "int64"),
    ],
)
def test_times_addresses_and_numbers_have_a_format(schema: str, field: str, form: str) -> None:
    assert DOCUMENT["components"]["schemas"][schema]["properties"][field]["format"] == form


def test_every_text_and_list_has_a_limit() -> None:
    unlimited = []

    def look(part: Schema, where: str) -> None:
        is_open = {"enum", "const", "format", "maxLength"}.isdisjoint(part)
        if (part.get("type") == "string" and is_open) or (
            part.get("type") == "array" and "maxItems" not in part
        ):
            unlimited.append(where)
        for name, inside in part.get("properties", {}).items():
            look(inside, f"{where}.{name}")
        for inside in [*part.get("anyOf", ()), *part.get("oneOf", ())]:
            look(inside, where)
        if isinstance(part.get("items"), dict):
            look(part["items"], f"{where}[]")

    for name, schema in DOCUMENT["components"]["schemas"].items():
        look(schema, name)

    assert unlimited == []


def header_problems(operation: str, answer: httpx.Response) -> list[str]:
    """What is wrong with the headers of an answer by the document."""
    described = answer_of(operation, answer.status_code)["headers"]
    found = []
    for name, header in described.items():
        if name in answer.headers:
            schema = resolved(header)["schema"]
            value: object = answer.headers[name]
            found += problems(schema, int(str(value)) if schema["type"] == "integer" else value)
    sent = {name.title() for name in answer.headers} & {
        name.title() for name in DOCUMENT["components"]["headers"]
    }
    return found + sorted(sent - {name.title() for name in described})


async def test_the_headers_that_are_sent_are_described(working_service: Service) -> None:
    service = working_service
    key = {"Idempotency_Key": "headers"}
    first = await service.post("/v2/quotes", request_body(), **key)
    identifier = first.json()["quotes"][0]["quote_identifier"]
    await service.ready(identifier)
    quote = await service.get(f"/v2/quotes/{identifier}", Prefer="wait=1")
    letter = f"/v2/quotes/quote_letter/{identifier}"
    whole = await service.get(letter)
    asked = [
        ("create_quotes", first),
        ("create_quotes", await service.post("/v2/quotes", request_body(), **key)),
        ("get_quote", quote),
        ("get_quote", await service.get(f"/v2/quotes/{identifier}", If_None_Match=quote.headers["etag"])),
        ("get_quote", await service.http.get(f"/v2/quotes/{identifier}")),
        ("download_document", whole),
        ("download_document", await service.get(letter, Range="bytes=0-9")),
        ("download_document", await service.get(letter, Range="bytes=99999999-")),
        ("download_document", await service.get(letter, If_None_Match=whole.headers["etag"])),
        ("get_questions", await service.get("/v2/questions/CYB")),
        ("docs", await service.get("/docs")),
        ("livez", await service.get("/livez")),
    ]

    for operation, answer in asked:
        assert header_problems(operation, answer) == [], (operation, answer.status_code)
    statuses = [answer.status_code for _, answer in asked]
    assert statuses == [200, 200, 200, 304, 401, 200, 206, 416, 304, 200, 200, 200]
    assert re.fullmatch(r'"[0-9a-f]{32}-br"', asked[9][1].headers["etag"])


async def test_the_example_of_a_webhook_can_be_registered(service: Service) -> None:
    content = DOCUMENT["paths"]["/v2/webhooks"]["post"]["requestBody"]["content"]["application/json"]

    answer = await service.post("/v2/webhooks", content["example"])

    assert answer.status_code == 200, answer.text


async def test_a_bad_key_is_refused_before_the_quote_is_looked_for(service: Service) -> None:
    quote = await service.submit()
    identifier = quote["quotes"][0]["quote_identifier"]

    answer = await service.http.post(
        f"/v2/quotes/{identifier}/pause_renewal",
        headers={**service.headers, "Idempotency-Key": "ü".encode()},  # type: ignore[arg-type] # as bytes, for it is not ASCII
    )

    assert answer.status_code == 400
    assert "400" in DOCUMENT["paths"]["/v2/quotes/{identifier}/pause_renewal"]["post"]["responses"]
