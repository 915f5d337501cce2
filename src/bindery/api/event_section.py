"""The events of the OpenAPI document: the rows of the feed, and what is delivered to webhooks."""

from collections.abc import Mapping
from typing import Any, Final

from bindery.contract.event_examples import EVENT_EXAMPLES, PING_EXAMPLE
from bindery.contract.events import EVENT_DATA, EVENT_DETAILS, PING, Ping, promised_details

Schema = dict[str, Any]

REF: Final = "#/components/schemas/{name}"
DELIVERIES: Final = "deliveries"
"""The tag of what is delivered: generators make one file of each, and `webhooks` is taken by operations."""

EVENT_TYPES: Final = (*dict.fromkeys(EVENT_DATA.values()), Ping)
"""The types of the contract that the section refers to."""

_DELIVERED: Final[Mapping[str, Any]] = {**EVENT_DATA, PING: Ping}
_EXAMPLES: Final[Mapping[str, dict[str, Any]]] = {**EVENT_EXAMPLES, PING: PING_EXAMPLE}
EXAMPLE_ID: Final = "0197b2c4-6a02-7b11-9c55-20f1a7c3d9e8"
EXAMPLE_TIME: Final = "2026-08-15T14:30:00Z"

_TIMESTAMP: Final = {"type": "string", "format": "date-time", "description": "When it happened, in UTC."}
_ID: Final = {
    "type": "string",
    "format": "uuid",
    "description": "The event's id: the `webhook-id` of its deliveries.",
}

_HEADERS: Final[Mapping[str, Schema]] = {
    "webhook-id": {
        "description": "The event's id: the same for every try, so that a receiver can tell what it has "
        "seen.",
        "schema": {"type": "string", "format": "uuid"},
        "example": EXAMPLE_ID,
    },
    "webhook-timestamp": {
        "description": "When this try was sent, in seconds since 1970.",
        "schema": {"type": "string", "pattern": "^[0-9]+$", "maxLength": 20},
        "example": "1786804200",
    },
    "webhook-signature": {
        "description": "`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, separated by dots; "
        "two of them, separated by a space, while a secret is being replaced.",
        "schema": {
            "type": "string",
            "pattern": "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$",
            "maxLength": 512,
        },
        "example": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
}


def event_schemas(components: Mapping[str, Schema]) -> dict[str, Schema]:
    feed = {_row_name(name): _body(name, components, {"id": _ID}) for name in EVENT_DATA}
    delivered = {_delivery_name(name): _body(name, components, {}) for name in _DELIVERED}
    return {
        **feed,
        **delivered,
        "FeedEvent": _either(
            "A row of the feed, told apart by `type`.", {n: _row_name(n) for n in EVENT_DATA}
        ),
        "EventType": {
            "description": "What happened. Later versions may add types.",
            "enum": list(EVENT_DATA),
        },
        "DeliveryType": {
            "description": "What is delivered: an event, or a ping. Later versions may add types.",
            "enum": list(_DELIVERED),
        },
    }


def promise_details(components: Mapping[str, Schema]) -> None:
    """Require what every event of a type says; the types that are read with take what may lack it."""
    for details in EVENT_DETAILS.values():
        if details.__name__ in components:
            schema = components[details.__name__]
            promised = {*schema["required"], *promised_details(details)}
            schema["required"] = [name for name in schema["properties"] if name in promised]


def event_section() -> Schema:
    return {name: {"post": _delivery(name)} for name in _DELIVERED}


def event_example(name: str) -> Schema:
    return {"type": name, "timestamp": EXAMPLE_TIME, "data": _EXAMPLES[name]}


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.replace(".", "_").split("_"))


def _row_name(name: str) -> str:
    return f"{_camel(name)}Event"


def _delivery_name(name: str) -> str:
    return f"{_camel(name)}Delivery"


def ref(name: str) -> Schema:
    return {"$ref": REF.format(name=name)}


def _body(name: str, components: Mapping[str, Schema], more: Mapping[str, Schema]) -> Schema:
    data = _DELIVERED[name].__name__
    kind = {"type": "string", "const": name, "description": "What happened."}
    properties = {**more, "type": kind, "timestamp": _TIMESTAMP, "data": ref(data)}
    return {
        "type": "object",
        "description": components[data]["description"],
        "required": list(properties),
        "properties": {field: dict(schema) for field, schema in properties.items()},
    }


def _either(description: str, names: Mapping[str, str]) -> Schema:
    return {
        "description": description,
        "oneOf": [ref(name) for name in names.values()],
        "discriminator": {
            "propertyName": "type",
            "mapping": {kind: ref(name)["$ref"] for kind, name in names.items()},
        },
    }


def _delivery(name: str) -> Schema:
    return {
        "operationId": f"told_{name.replace('.', '_')}",
        "summary": _DELIVERED[name].__doc__ or name,
        "description": "Signed and retried as [Standard Webhooks](https://www.standardwebhooks.com) "
        "specifies; the same event may arrive more than once.",
        "tags": [DELIVERIES],
        "parameters": [
            {"name": name, "in": "header", "required": True, **header} for name, header in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": ref(_delivery_name(name)), "example": event_example(name)}
            },
        },
        "responses": {
            "2XX": {"description": "Any 2xx within 15 seconds is success; anything else is tried again."},
            "410": {"description": "The endpoint is gone: the webhook is disabled."},
        },
        "security": [],
    }
