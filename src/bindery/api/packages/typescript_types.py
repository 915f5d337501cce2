"""The bodies of the API as TypeScript types, made from the OpenAPI document."""

import json
from collections.abc import Iterator
from typing import Any, Final

HEAD: Final = (
    "// Made from the OpenAPI document of the service that this package comes from.\n"
    "export interface components {\n  schemas: {\n"
)
TAIL: Final = "  };\n}\n"
_WORDS: Final = {
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "string": "string",
}

Schema = dict[str, Any]


def types_of(document: Schema) -> str:
    """Return a declaration file with every schema of a document by its name."""
    schemas = document["components"]["schemas"]
    return HEAD + "".join(_member(name, schema, "    ", "") for name, schema in schemas.items()) + TAIL


def _member(name: str, schema: Schema, indent: str, optional: str) -> str:
    key = name if name.isidentifier() else json.dumps(name)
    return f"{_comment(schema, indent)}{indent}{key}{optional}: {_type(schema, indent)};\n"


def _comment(schema: Schema, indent: str) -> str:
    said = str(schema.get("description", "")).strip().replace("*/", "*\\/")
    lines = [line.strip() for line in said.splitlines()]
    if schema.get("deprecated"):
        lines.append("@deprecated")
    if len(lines) <= 1:
        return "".join(f"{indent}/** {line} */\n" for line in lines)
    return (
        f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"
    )


def _type(schema: Schema, indent: str) -> str:  # noqa: PLR0911 - one for each kind of schema
    match schema:
        case {"$ref": str(place)}:
            return f'components["schemas"][{json.dumps(place.rpartition("/")[2])}]'
        case {"const": value}:
            return json.dumps(value, ensure_ascii=False)
        case {"enum": list(values)}:
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            return _joined(choices, " | ", indent)
        case {"allOf": list(parts)}:
            return _joined(parts, " & ", indent)
        case {"type": list(kinds)}:
            return _joined([{**schema, "type": kind} for kind in kinds], " | ", indent)
        case {"type": "array"}:
            return _array(schema, indent)
        case {"type": "object"} | {"properties": dict()}:
            return " & ".join(_object(schema, indent))
        case {"type": str(kind)}:
            return _WORDS[kind]
        case _:
            return "unknown"


def _joined(parts: list[Schema], sign: str, indent: str) -> str:
    written = dict.fromkeys(_type(part, indent) for part in parts)
    return sign.join(_apart(text) if len(written) > 1 else text for text in written)


def _array(schema: Schema, indent: str) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_type(item, indent) for item in schema['prefixItems'])}]"
    return f"{_apart(_type(schema.get('items', {}), indent))}[]"


def _object(schema: Schema, indent: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    inside = f"{indent}  "
    if properties:
        required = schema.get("required", ())
        members = "".join(
            _member(name, part, inside, "" if name in required else "?") for name, part in properties.items()
        )
        yield f"{{\n{members}{indent}}}"
    if others:
        yield f"{{ [key: string]: {'unknown' if others is True else _type(others, inside)} }}"
    elif not properties:
        yield "{ [key: string]: unknown }" if others is None else "Record<string, never>"


def _apart(text: str) -> str:
    """Put a union or an intersection in brackets, to be a part of something."""
    return f"({text})" if " | " in text or " & " in text else text
