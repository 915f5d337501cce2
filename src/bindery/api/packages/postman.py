"""A Postman collection: the story with its assertions, and every operation of the OpenAPI document.

A folder for each tag and a request for each operation, with its example body; the address and the token are
variables of the collection.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from bindery.api.packages.story import MOST_TRIES, STORY, TITLE, StoryStep

SCHEMA: Final = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
JSON: Final = "application/json"
FORM: Final = "multipart/form-data"


def postman_collection(document: dict[str, Any]) -> dict[str, Any]:
    folders: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                parameters = [*item.get("parameters", ()), *operation.get("parameters", ())]
                found = [_resolved(document, parameter) for parameter in parameters]
                folders[operation["tags"][0]].append(_request(document, path, method, operation, found))
    return {
        "info": {
            "name": f"{document['info']['title']} {document['info']['version']}",
            "description": document["info"].get("description", ""),
            "schema": SCHEMA,
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}", "type": "string"}]},
        "variable": [
            {"key": "baseUrl", "value": document["servers"][0]["url"].rstrip("/")},
            {"key": "token", "value": ""},
        ],
        "item": [
            *([_story()] if is_demo(document) else []),
            *({"name": name, "item": requests} for name, requests in folders.items() if requests),
        ],
    }


def is_demo(document: dict[str, Any]) -> bool:
    """Whether the story can be told: elsewhere it would bind a policy, for a client who signs by himself."""
    return "/v2/demo/clock" in document["paths"]


def _story() -> dict[str, Any]:
    return {
        "name": TITLE,
        "description": "Run it from top to bottom: each request keeps what the next one needs.",
        "item": [_told(step) for step in STORY],
    }


def _told(step: StoryStep) -> dict[str, Any]:
    path = step.path.strip("/").split("/")
    request: dict[str, Any] = {
        "method": step.method,
        "description": step.says,
        "header": [{"key": name, "value": value} for name, value in step.headers.items()],
        "url": {"raw": "{{baseUrl}}" + step.path, "host": ["{{baseUrl}}"], "path": path},
    }
    if step.body is not None:
        request["header"].append({"key": "Content-Type", "value": JSON})
        request["body"] = _json({"example": step.body})
    script = {"type": "text/javascript", "exec": list(_script(step))}
    return {
        "name": step.name,
        "event": [{"listen": "test", "script": script}],
        "request": request,
        "response": [],
    }


def _script(step: StoryStep) -> Iterator[str]:
    yield "const status = pm.response.code;"
    yield 'const type = (pm.response.headers.get("Content-Type") ?? "").split(";")[0];'
    yield 'const body = type === "application/json" ? pm.response.json() : {};'
    yield 'const tries = Number(pm.collectionVariables.get("tries") ?? 0);'
    until = step.again_until or "true"
    yield f"if (!({until}) && tries < {MOST_TRIES}) {{"
    yield '  pm.collectionVariables.set("tries", tries + 1);'
    yield f"  pm.execution.setNextRequest({json.dumps(step.name)});"
    yield "  setTimeout(() => {}, 500);"
    yield "} else {"
    yield '  pm.collectionVariables.set("tries", 0);'
    for check in step.checks:
        expected = json.dumps(check.expected)
        yield f"  pm.test({json.dumps(check.says)}, () => pm.expect({check.found}).to.eql({expected}));"
    for name, value in step.keeps.items():
        yield f"  pm.collectionVariables.set({json.dumps(name)}, {value});"
    yield "}"


def _request(
    document: dict[str, Any],
    path: str,
    method: str,
    operation: dict[str, Any],
    parameters: list[dict[str, Any]],
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": method.upper(),
        "description": operation.get("description", ""),
        "header": [_row(found, disabled=True) for found in parameters if found["in"] == "header"],
        "url": {
            "raw": "{{baseUrl}}" + re.sub(r"\{(\w+)\}", r":\1", path),
            "host": ["{{baseUrl}}"],
            "path": [re.sub(r"^\{(\w+)\}$", r":\1", part) for part in path.strip("/").split("/")],
            "query": [
                _row(found, disabled=not found.get("required", False))
                for found in parameters
                if found["in"] == "query"
            ],
            "variable": [_row(found) for found in parameters if found["in"] == "path"],
        },
    }
    if operation.get("security") == []:
        request["auth"] = {"type": "noauth"}
    if "requestBody" in operation:
        content = _resolved(document, operation["requestBody"])["content"]
        request["body"] = _form(document, content[FORM]) if FORM in content else _json(content[JSON])
        if FORM not in content:
            request["header"].append({"key": "Content-Type", "value": JSON})
    return {"name": operation["summary"], "request": request, "response": []}


def _json(content: dict[str, Any]) -> dict[str, Any]:
    examples = content.get("examples") or {"": {"value": content.get("example", {})}}
    first = next(iter(examples.values()))["value"]
    text = json.dumps(first, indent=2, ensure_ascii=False)
    return {"mode": "raw", "raw": text, "options": {"raw": {"language": "json"}}}


def _form(document: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    schema = _resolved(document, content["schema"])
    rows = [
        {"key": name, "type": "file", "src": []}
        if _resolved(document, field).get("format") == "binary"
        else {"key": name, "type": "text", "value": "", "disabled": name not in schema["required"]}
        for name, field in schema["properties"].items()
    ]
    return {"mode": "formdata", "formdata": rows}


def _row(parameter: dict[str, Any], *, disabled: bool | None = None) -> dict[str, Any]:
    value = parameter.get("example", parameter.get("schema", {}).get("example", ""))
    row = {
        "key": parameter["name"],
        "value": str(value),
        "description": parameter.get("description", ""),
    }
    return row if disabled is None else {**row, "disabled": disabled}


def _resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference leads to; anything else as it is."""
    while "$ref" in part:
        found: Any = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name.replace("~1", "/")]
        part = found
    return part
