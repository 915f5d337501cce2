"""Saying in words what the schemas of an OpenAPI document allow."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

Schema = dict[str, Any]

_TYPE_NAMES: Final = {bool: "boolean", int: "integer", float: "number", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Object:
    """The fields of an object; none where it is inside itself and was shown further up."""

    name: str
    description: str
    fields: tuple["Field", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaShape:
    type: str
    description: str = ""
    limits: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    default: str | None = None
    example: str | None = None
    objects: tuple[Object, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    is_required: bool
    shape: SchemaShape


class Schemas:
    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def shape(self, schema: Schema, above: tuple[str, ...] = ()) -> SchemaShape:
        """Return what a schema allows; `above` names the objects around it, so that loops end."""
        name, schema = self._resolve(schema)
        if name and name in above:
            shape = SchemaShape(type=name, objects=(Object(name, "", ()),))
        else:
            shape = self._bare_shape(name, schema, (*above, name))
        return replace(
            shape,
            description=schema.get("description", shape.description),
            default=literal(schema["default"]) if "default" in schema else shape.default,
            example=literal(schema["examples"][0]) if schema.get("examples") else shape.example,
        )

    def _resolve(self, schema: Schema) -> tuple[str, Schema]:
        """Follow a reference; words next to it win over its own."""
        name = ""
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = {**self._components[name], **{key: schema[key] for key in schema if key != "$ref"}}
        return name, schema

    def _bare_shape(self, name: str, schema: Schema, above: tuple[str, ...]) -> SchemaShape:
        kind = schema.get("type")
        limits = tuple(_limits(schema))
        if branches := _branches(schema):
            return _either(self.shape(branch, above) for branch in branches)
        if "enum" in schema or "const" in schema:
            allowed = schema["enum"] if "enum" in schema else [schema["const"]]
            kinds = dict.fromkeys(_TYPE_NAMES.get(type(value), "string") for value in allowed)
            return SchemaShape(type=kind or " or ".join(kinds), values=tuple(map(literal, allowed)))
        if kind == "array" and "items" in schema:
            item = self.shape(schema["items"], above)
            each = tuple(f"each {limit}" for limit in item.limits)
            description = "" if item.objects else item.description
            return replace(
                item,
                type=f"array of {item.type}",
                limits=limits + each,
                default=None,
                description=description,
            )
        if kind == "object":
            return self._object(name, schema, limits, above)
        form = schema.get("format", "binary" if "contentMediaType" in schema else "")
        return SchemaShape(
            type=f"{kind or 'anything'} ({form})" if form else kind or "anything", limits=limits
        )

    def _object(
        self, name: str, schema: Schema, limits: tuple[str, ...], above: tuple[str, ...]
    ) -> SchemaShape:
        others = schema.get("additionalProperties")
        if "properties" not in schema and isinstance(others, dict) and others:
            value = self.shape(others, above)
            return replace(
                value, type=f"object of {value.type}", limits=limits + value.limits, description=""
            )
        if "properties" not in schema:
            return SchemaShape(type="object", limits=limits)
        fields = tuple(
            Field(field, field in schema.get("required", ()), self.shape(described, above))
            for field, described in schema["properties"].items()
        )
        description = self._components.get(name, schema).get("description", "")
        closed = ("no other fields",) if others is False else ()
        shown = Object(name or "object", description, fields)
        return SchemaShape(type=shown.name, limits=limits + closed, objects=(shown,))


def _branches(schema: Schema) -> list[Schema]:
    if isinstance(schema.get("type"), list):
        return [{**schema, "type": kind, "description": ""} for kind in schema["type"]]
    return schema.get("anyOf") or schema.get("oneOf") or []


def _either(branches: Iterable[SchemaShape]) -> SchemaShape:
    shapes = list(branches)
    return SchemaShape(
        type=" or ".join(dict.fromkeys(shape.type for shape in shapes)),
        limits=tuple(dict.fromkeys(limit for shape in shapes for limit in shape.limits)),
        values=tuple(dict.fromkeys(value for shape in shapes for value in shape.values)),
        objects=tuple(dict.fromkeys(shown for shape in shapes for shown in shape.objects)),
    )


def _limits(schema: Schema) -> Iterator[str]:
    yield from _span(schema.get("minLength"), schema.get("maxLength"), " character")
    yield from _span(schema.get("minItems"), schema.get("maxItems"), " item")
    yield from _span(schema.get("minProperties"), schema.get("maxProperties"), " field")
    yield from _span(schema.get("minimum"), schema.get("maximum"))
    if "exclusiveMinimum" in schema:
        yield f"more than {schema['exclusiveMinimum']:,}"
    if "exclusiveMaximum" in schema:
        yield f"less than {schema['exclusiveMaximum']:,}"
    if schema.get("uniqueItems"):
        yield "no repeats"
    if "pattern" in schema:
        yield f"matches `{schema['pattern']}`"


def _span(low: float | None, high: float | None, unit: str = "") -> Iterator[str]:
    units = f"{unit}s" if unit and (low if high is None else high) != 1 else unit
    if low is not None and high is not None:
        yield f"exactly {low:,}{units}" if low == high else f"{low:,} to {high:,}{units}"
    elif high is not None:
        yield f"max {high:,}{units}"
    elif low is not None:
        yield f"min {low:,}{units}"


def literal(value: object) -> str:
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()
