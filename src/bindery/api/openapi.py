"""The OpenAPI document, assembled from the table of operations and the schemas of the contract."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from textwrap import fill
from typing import Any, Final

import msgspec

from bindery.api.answer_headers import HEADERS, headers_of
from bindery.api.event_section import DELIVERIES, EVENT_TYPES, event_section
from bindery.api.openapi_schemas import described_schemas, referred_to
from bindery.api.operation import IDEMPOTENCY_KEY, Answer, NextOperation, Operation, OperationParameter
from bindery.domain.products import all_products
from bindery.domain.text import listed

API_VERSION: Final = "2.13.0"

_PRODUCTS: Final = listed(f"{record.name} ({record.product})" for record in all_products())
ABOUT: Final = f"""{fill(f"Quotes for {_PRODUCTS}.", 100)}

Bodies are JSON in UTF-8, at most 1,000,000 bytes. A whole number may be written `33.0`; any other fraction
is refused where an integer is asked for. Texts hold no control characters. `OPTIONS` answers 204 with what a
path takes, and any other method 405 with the same list in `Allow`. Answers over 1 KB are compressed for those
who send `Accept-Encoding: br, gzip`. Browsers cannot call the service from another origin: a token does not
belong in one."""

TAGS: Final[Mapping[str, str]] = {
    "quotes": "Ask for quotes, check a request before it is sent, and read the terms of each option.",
    "lists": "Find quotes, policies and companies, and see the options of a company side by side.",
    "binds": "Turn a quote into cover, and decide how the policy renews.",
    "changes": "Change a policy during its term, and see what it costs before.",
    "documents": "Download what is issued for a quote, list the forms of a packet, upload what is owed.",
    "signatures": "Have the client sign the application on a page, and see what became of it.",
    "webhooks": "Hear what happens to quotes and policies: by signed deliveries, or by reading the feed.",
    DELIVERIES: "What is sent to your webhooks, one operation for each type.",
    "demo": "Only in the demo: move the clock, play the underwriter, make deliveries fail.",
    "service": "About the service itself; these take no partner token.",
}


EXAMPLES_FILE: Final = "examples.json"


class Examples(msgspec.Struct, frozen=True):
    """Answers as a running demo gave them: `python -m tools.examples` records them again."""

    answers: dict[str, dict[str, Any]]
    shared: dict[str, Any]


@cache
def _examples() -> Examples:
    encoded = (resources.files("bindery.api") / EXAMPLES_FILE).read_bytes()
    return msgspec.json.decode(encoded, type=Examples)


def openapi_document(
    operations: Sequence[Operation], *, base_url: str, with_webhooks: bool = True
) -> dict[str, Any]:
    """Return the document; without its section of deliveries for generators that cannot read one."""
    answers = [answer for row in operations for answer in row.all_answers.values()]
    schema_of, components = described_schemas(
        _each_once(row.body for row in operations),
        [*_each_once(answer.body for answer in answers), *EVENT_TYPES],
    )
    section = {"webhooks": event_section()} if with_webhooks else {}
    tags = [*dict.fromkeys(row.tag for row in operations), *([DELIVERIES] if with_webhooks else [])]
    paths: dict[str, dict[str, Any]] = {}
    for row in operations:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, schema_of)
    shared = _shared_answers(operations, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Bindery: partner insurance quoting",
            "version": API_VERSION,
            "summary": "Quote, bind, document and renew three surplus-lines products.",
            "description": ABOUT,
            "contact": {"name": "Partner support", "url": f"{_address(base_url)}/docs"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": _address(base_url), "description": "This service."}],
        "tags": [{"name": tag, "description": TAGS[tag]} for tag in tags],
        "paths": paths,
        **section,
        "components": {
            "schemas": referred_to([paths, section, shared], components),
            "headers": {name: dict(header) for name, header in HEADERS.items()},
            "responses": shared,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": "A partner's token, as `bindery token issue` prints it: HS256 and no "
                    "other algorithm, every claim checked, as RFC8725 asks.",
                }
            },
        },
    }


def _address(base_url: str) -> str:
    return base_url.removesuffix("/").removesuffix("/v2")


def _each_once(types: Iterable[Any]) -> list[Any]:
    return list({id(body): body for body in types if body is not None}.values())


def _shared_answers(
    operations: Sequence[Operation], schema_of: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    shared = {
        answer.name: (status, answer)
        for row in operations
        for status, answer in row.all_answers.items()
        if answer.name
    }
    return {
        name: {
            "description": answer.description,
            "headers": headers_of(status, answer),
            "content": _content(answer, schema_of, _examples().shared.get(name)),
        }
        for name, (status, answer) in sorted(shared.items())
    }


def _operation(row: Operation, schema_of: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    parameters = [*row.parameters, *([IDEMPOTENCY_KEY] if row.takes_key else [])]
    described: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.summary,
        "description": row.description,
        "tags": [row.tag],
    }
    if parameters:
        described["parameters"] = [_parameter(parameter) for parameter in parameters]
    if row.body is not None:
        content: dict[str, Any] = {"schema": schema_of[id(row.body)]}
        if row.example is not None:
            content["example"] = row.example
        described["requestBody"] = {"required": True, "content": {row.body_media_type: content}}
    described["responses"] = {
        str(status): _answer(row, status, answer, schema_of) for status, answer in row.all_answers.items()
    }
    described["security"] = [{"bearer": []}] if row.needs_token else []
    return described


def _parameter(parameter: OperationParameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.where,
        "description": parameter.description,
        "required": parameter.required,
        "schema": dict(parameter.schema),
        "example": parameter.example,
    }


def _answer(
    row: Operation, status: int, answer: Answer, schema_of: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    if answer.name:
        return {"$ref": f"#/components/responses/{answer.name}"}
    described: dict[str, Any] = {
        "description": answer.description,
        "headers": headers_of(status, answer, row),
    }
    example = _examples().answers.get(row.name, {}).get(str(status))
    if content := _content(answer, schema_of, example):
        described["content"] = content
    if status == 200 and row.links:  # noqa: PLR2004 - HTTP
        described["links"] = {link.operation: _link(link) for link in row.links}
    return described


def _content(
    answer: Answer, schema_of: Mapping[int, dict[str, Any]], example: object | None
) -> dict[str, Any]:
    if answer.body is None and not answer.is_text and answer.media_type == "application/json":
        return {}
    content: dict[str, Any] = {"schema": {"type": "string"}}
    if answer.body is not None:
        content["schema"] = schema_of[id(answer.body)]
    elif not answer.is_text:
        content["schema"] = {"type": "string", "format": "binary", "contentMediaType": answer.media_type}
    if example is not None:
        content["example"] = example
    return {answer.media_type: content}


def _link(link: NextOperation) -> dict[str, Any]:
    described: dict[str, Any] = {"operationId": link.operation, "description": link.description}
    if link.parameters:
        described["parameters"] = dict(link.parameters)
    return described
