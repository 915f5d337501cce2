"""The OpenAPI document, assembled from the table of operations and the schemas of the contract."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bindery.api.event_section import EVENT_TYPES, event_section
from bindery.api.openapi_schemas import described_schemas
from bindery.api.operation import IDEMPOTENCY_KEY, Answer, Operation, Parameter

API_VERSION: Final = "2.13.0"
_COMMON_HEADERS: Final = {
    "X-Request-Id": {"description": "Identifies the request in our logs.", "schema": {"type": "string"}}
}


def openapi_document(operations: Sequence[Operation], *, base_url: str) -> dict[str, Any]:
    """Describe the operations."""
    requests = [row.body for row in operations if row.body is not None]
    answers = [
        answer.body for row in operations for answer in row.answers.values() if answer.body is not None
    ]
    schema_of, components = described_schemas(_each_once(requests), [*_each_once(answers), *EVENT_TYPES])
    paths: dict[str, dict[str, Any]] = {}
    for row in operations:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Bindery: partner insurance quoting",
            "version": API_VERSION,
            "description": "Quotes for cyber (CYB), technology errors and omissions (TEO) and miscellaneous "
            "professional liability (MPL).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_url.removesuffix("/").removesuffix("/v2"), "description": "This service."}],
        "tags": [{"name": tag} for tag in dict.fromkeys(row.tag for row in operations)],
        "paths": paths,
        "webhooks": event_section(),
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
    }


def _each_once(types: Iterable[Any]) -> list[Any]:
    return list({id(body): body for body in types}.values())


def _operation(row: Operation, schema_of: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    parameters = [*row.parameters, *([IDEMPOTENCY_KEY] if row.takes_key else [])]
    described: dict[str, Any] = {"operationId": row.name, "summary": row.summary, "tags": [row.tag]}
    if row.description:
        described["description"] = row.description
    if parameters:
        described["parameters"] = [_parameter(parameter) for parameter in parameters]
    if row.body is not None:
        content: dict[str, Any] = {"schema": schema_of[id(row.body)]}
        if row.example is not None:
            content["example"] = row.example
        described["requestBody"] = {"required": True, "content": {row.body_media_type: content}}
    described["responses"] = {
        str(status): _answer(status, answer, schema_of) for status, answer in sorted(row.answers.items())
    }
    described["security"] = [{"bearer": []}] if row.needs_token else []
    return described


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.where,
        "description": parameter.description,
        "required": parameter.required,
        "schema": dict(parameter.schema),
    }


def _answer(status: int, answer: Answer, schema_of: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    described: dict[str, Any] = {"description": answer.description, "headers": dict(_COMMON_HEADERS)}
    if status == 202:  # noqa: PLR2004 - HTTP
        described["headers"]["Retry-After"] = {
            "description": "Seconds to wait before asking again.",
            "schema": {"type": "integer"},
        }
    if answer.body is not None:
        described["content"] = {answer.media_type: {"schema": schema_of[id(answer.body)]}}
    elif answer.media_type != "application/json":
        described["content"] = {answer.media_type: {"schema": {"type": "string"}}}
    return described
