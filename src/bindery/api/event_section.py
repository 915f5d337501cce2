"""The `webhooks` section of the OpenAPI document: what each type of event sends to an endpoint."""

from typing import Any, Final

from bindery.contract.events import EVENT_DATA, EVENT_EXAMPLES

EVENT_TYPES: Final = tuple(dict.fromkeys(EVENT_DATA.values()))
"""The schemas that the section refers to."""

_HEADERS: Final = {
    "webhook-id": "The event's id: the same for every try, so that a receiver can tell what it has seen.",
    "webhook-timestamp": "When this try was sent, in seconds since 1970.",
    "webhook-signature": "`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, parted by dots; "
    "two of them, parted by a space, while a secret is being replaced.",
}


def event_section(schema_of: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Describe the deliveries, one entry for each type."""
    return {name: {"post": _delivery(name, schema_of)} for name in EVENT_DATA}


def _delivery(name: str, schema_of: dict[int, dict[str, Any]]) -> dict[str, Any]:
    data = EVENT_DATA[name]
    schema = {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "const": name},
            "timestamp": {"type": "string", "format": "date-time", "description": "When it happened."},
            "data": schema_of[id(data)],
        },
    }
    example = {"type": name, "timestamp": "2026-08-15T14:30:00Z", "data": EVENT_EXAMPLES[name]}
    return {
        "operationId": f"told_{name.replace('.', '_')}",
        "summary": data.__doc__ or name,
        "tags": ["webhooks"],
        "parameters": [
            {
                "name": header,
                "in": "header",
                "description": description,
                "required": True,
                "schema": {"type": "string"},
            }
            for header, description in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example}},
        },
        "responses": {
            "2XX": {"description": "Any 2xx within 15 seconds is success; anything else is tried again."},
            "410": {"description": "The endpoint is gone: the webhook is disabled."},
        },
        "security": [],
    }
