"""The schemas of the OpenAPI document say what is taken and sent, closely enough to generate a client."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.contract.codes import ERROR_CODES, PROBLEM_CODES, REFERRAL_CODES
from bindery.contract.documents import DocumentType
from bindery.contract.events import EVENT_DATA, EVENT_DETAILS, PING, promised_details
from bindery.contract.vocabulary import QuoteAction, QuoteStatus
from bindery.domain.screening.rules import rule_catalogue
from bindery.domain.submission.value import CORRECTION_MEANINGS

Schema = dict[str, Any]


@pytest.fixture(scope="module")
def document() -> Schema:
    return openapi_document(OPERATIONS, base_url="https://api.bindery.example/v2")


@pytest.fixture(scope="module")
def schemas(document: Schema) -> Schema:
    found: Schema = document["components"]["schemas"]
    return found


def parts(schema: Schema, where: str) -> Iterator[tuple[str, Schema]]:
    """A schema and every schema inside it, each with its place."""
    yield where, schema
    for name, inside in schema.get("properties", {}).items():
        yield from parts(inside, f"{where}.{name}")
    for union in ("anyOf", "oneOf"):
        for number, inside in enumerate(schema.get(union, ())):
            yield from parts(inside, f"{where}.{union}[{number}]")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from parts(schema[key], f"{where}.{key}")


def all_parts(document: Schema) -> list[tuple[str, Schema]]:
    found = [
        part for name, schema in document["components"]["schemas"].items() for part in parts(schema, name)
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", ()):
                if "schema" in parameter:
                    found += parts(parameter["schema"], f"{method} {path} {parameter['name']}")
    return found


def values_of(schemas: Schema, reference: Schema) -> set[str]:
    return set(schemas[reference["$ref"].rpartition("/")[2]]["enum"])


def test_every_list_says_what_it_holds(document: Schema) -> None:
    lists = [(where, part) for where, part in all_parts(document) if part.get("type") == "array"]

    assert [where for where, part in lists if not part.get("items")] == []
    assert len(lists) > 20


def test_an_answer_may_be_a_list_of_option_texts(schemas: Schema) -> None:
    kinds = schemas["Question"]["properties"]["value"]["anyOf"]

    assert [kind["type"] for kind in kinds] == ["string", "integer", "boolean", "array"]
    assert kinds[-1]["items"]["type"] == "string"


def test_every_open_object_says_that_it_is_open(document: Schema) -> None:
    open_objects = [
        (where, part)
        for where, part in all_parts(document)
        if part.get("type") == "object" and "properties" not in part
    ]

    assert [where for where, part in open_objects if "additionalProperties" not in part] == []
    assert "Client.metadata.anyOf[0]" in dict(open_objects)


def test_every_enum_has_the_type_of_its_values(document: Schema) -> None:
    enums = [(where, part) for where, part in all_parts(document) if "enum" in part]

    wrong = [
        where
        for where, part in enums
        if part.get("type") != ("integer" if isinstance(part["enum"][0], int) else "string")
    ]
    assert wrong == []
    assert len(enums) > 20


def test_the_client_of_a_quote_is_a_client_without_defaults_and_nulls(schemas: Schema) -> None:
    shown = schemas["QuoteBody"]["properties"]["client"]

    assert shown["$ref"].endswith("/ShownClient")
    assert list(schemas["ShownClient"]["properties"]) == list(schemas["Client"]["properties"])
    shown_parts = list(parts(schemas["ShownClient"], "ShownClient"))
    assert [where for where, part in shown_parts if "default" in part or part.get("type") == "null"] == []
    assert schemas["Client"]["properties"]["domains"]["default"] == []


def test_what_may_be_null_has_a_name_where_generated_clients_need_one(schemas: Schema) -> None:
    unnamed = [
        where
        for name, schema in schemas.items()
        for where, part in parts(schema, name)
        if {"type": "null"} in part.get("anyOf", ())
        for kind in part["anyOf"]
        if ("enum" in kind or kind.get("type") == "object") and "title" not in kind
    ]

    assert unnamed == []


def test_what_an_answer_leaves_out_is_neither_required_nor_has_a_default(schemas: Schema) -> None:
    error = schemas["ErrorBody"]

    assert error["required"] == ["message", "code", "request_id"]
    assert [where for where, part in parts(error, "ErrorBody") if "default" in part] == []


def test_what_an_answer_always_holds_is_required(schemas: Schema) -> None:
    for name in ("QuoteReceipt", "QuoteBody", "CoverageBody", "ValidateResponse", "PacketDocument"):
        assert schemas[name]["required"] == list(schemas[name]["properties"]), name


def test_codes_and_other_closed_sets_are_enums_of_the_catalogue(schemas: Schema) -> None:
    quote = schemas["QuoteBody"]["properties"]
    error = schemas["ErrorBody"]["properties"]
    expected = [
        (error["code"], set(ERROR_CODES)),
        (schemas["ErrorProblem"]["properties"]["code"], set(PROBLEM_CODES)),
        (schemas["ReferralReason"]["properties"]["code"], {entry.code for entry in rule_catalogue()}),
        (schemas["ReferralReason"]["properties"]["recommendation"], {"refer", "decline"}),
        (schemas["EventReason"]["properties"]["code"], set(REFERRAL_CODES)),
        (schemas["DeliveryBody"]["properties"]["type"], {*EVENT_DATA, PING}),
        (schemas["NotReadyBody"]["properties"]["quote_status"], set(QuoteStatus)),
        (schemas["RenewalBody"]["properties"]["type"], {"auto", "manual"}),
        (schemas["CorrectionBody"]["properties"]["code"], set(CORRECTION_MEANINGS)),
        (schemas["RequestWarning"]["properties"]["code"], set(CORRECTION_MEANINGS)),
        (error["available_statuses"]["items"], set(QuoteStatus)),
        (quote["available_documents"]["items"], set(DocumentType)),
        (quote["available_actions"]["items"], set(QuoteAction)),
        (schemas["DocumentReady"]["properties"]["documents"]["items"], set(DocumentType)),
    ]

    for reference, values in expected:
        assert values_of(schemas, reference) == values


def test_the_catalogue_has_the_codes_that_are_put_together(schemas: Schema) -> None:
    assert {"application_altered", "application_none", "malformed_json", "missing_answer"} <= {*PROBLEM_CODES}
    assert {"internal_error", "unavailable", "unknown_webhook", "expired_token"} <= {*ERROR_CODES}
    assert [code for code in (*ERROR_CODES, *PROBLEM_CODES) if not code.replace("_", "").isalpha()] == []


def test_events_are_told_apart_by_their_type(schemas: Schema) -> None:
    feed = schemas["FeedEvent"]
    mapping = feed["discriminator"]["mapping"]

    assert feed["discriminator"]["propertyName"] == "type"
    assert set(mapping) == set(EVENT_DATA)
    assert [{"$ref": reference} for reference in mapping.values()] == feed["oneOf"]
    for kind, reference in mapping.items():
        body = schemas[reference.rpartition("/")[2]]
        assert body["required"] == ["id", "type", "timestamp", "data"]
        assert body["properties"]["type"]["const"] == kind
        assert body["properties"]["timestamp"]["format"] == "date-time"


def test_every_event_type_requires_the_details_that_it_promises(schemas: Schema) -> None:
    for name, data in EVENT_DATA.items():
        promised = {"quote_identifier", "company_id", "quote_status", "level", "sequence"}
        promised |= set(promised_details(EVENT_DETAILS[name]))
        assert set(schemas[data.__name__]["required"]) == promised, name
    assert {"reasons"} < set(schemas["QuoteReferred"]["required"])
    assert {"premium", "quote_expiration_date"} < set(schemas["QuotePublished"]["required"])
    assert "fulfil_by" not in schemas["PolicyInForce"]["required"]


def test_no_schema_is_there_for_nothing(document: Schema) -> None:
    for shown in (document, openapi_document(OPERATIONS, base_url="https://b.example", with_webhooks=False)):
        used = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(shown)))
        assert set(shown["components"]["schemas"]) == used


def test_the_document_for_generators_that_cannot_read_webhooks_has_no_trace_of_deliveries() -> None:
    without = openapi_document(OPERATIONS, base_url="https://b.example", with_webhooks=False)
    with_them = openapi_document(OPERATIONS, base_url="https://b.example")

    assert "webhooks" not in without
    assert without["paths"] == with_them["paths"]
    assert {tag["name"] for tag in with_them["tags"]} - {tag["name"] for tag in without["tags"]} == {
        "deliveries"
    }
    assert [name for name in without["components"]["schemas"] if name.endswith("Delivery")] == []


def test_no_tag_is_that_of_operations_and_of_deliveries(document: Schema) -> None:
    of_operations = {row["tags"][0] for methods in document["paths"].values() for row in methods.values()}
    of_deliveries = {row["post"]["tags"][0] for row in document["webhooks"].values()}

    assert of_operations & of_deliveries == set()


def test_a_link_has_no_body_for_generators_take_texts_alone_there(document: Schema) -> None:
    assert '"requestBody": {"since"' not in json.dumps(document)
    for methods in document["paths"].values():
        for row in methods.values():
            for answer in row["responses"].values():
                assert [link for link in answer.get("links", {}).values() if "requestBody" in link] == []


def test_a_ping_is_among_the_webhooks(document: Schema) -> None:
    assert set(document["webhooks"]) == {*EVENT_DATA, PING}


def test_a_replay_names_an_event_or_a_time(schemas: Schema) -> None:
    forms = schemas["ReplayRequest"]["oneOf"]

    assert [form["required"] for form in forms] == [["event_id"], ["since"]]
    assert [list(form["properties"]) for form in forms] == [["event_id"], ["since"]]
    assert [form["additionalProperties"] for form in forms] == [False, False]


def test_every_whole_number_is_bounded_and_has_64_bits(document: Schema) -> None:
    numbers = [(where, part) for where, part in all_parts(document) if part.get("type") == "integer"]

    assert [where for where, part in numbers if part.get("format") != "int64"] == []
    assert [where for where, part in numbers if "enum" not in part and "maximum" not in part] == []
    assert len(numbers) > 30
