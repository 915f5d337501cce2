"""The documentation page: made on the server from the OpenAPI document, asking no other host for anything."""

import mimetypes
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

Schema = dict[str, Any]

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_ANCHORS_OF_THE_PAGE: Final = ("content", "filter", "first-request", "authentication", "errors", "webhooks")
_TYPE_NAMES: Final = {bool: "boolean", int: "integer", float: "number", type(None): "null"}
_SAMPLES: Final = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}
_SAMPLE_TEXTS: Final = {"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z"}


def render_docs(document: dict[str, Any]) -> str:
    """Make the page; for a document that was rendered before this costs only its encoding."""
    return _render(msgspec.json.encode(document))


@lru_cache(maxsize=4)
def _render(encoded: bytes) -> str:
    document: dict[str, Any] = msgspec.json.decode(encoded)
    schemas = _Schemas(document.get("components", {}).get("schemas", {}))
    name_anchor = _Anchors()
    operations = [_operation(document, row, schemas, name_anchor) for row in _rows(document["paths"])]
    webhooks = [_webhook(row, schemas, name_anchor) for row in _rows(document.get("webhooks", {}))]
    responses = [item for row in operations for item in row.described.get("responses", {}).items()]
    error_ref = _common_error(responses)
    return _TEMPLATES.get_template("docs.html.j2").render(
        info=document["info"],
        server=_server(document),
        groups=_groups(document.get("tags", []), operations, name_anchor),
        operations=operations,
        webhooks=webhooks,
        first=_first_request(operations),
        links=_links(operations),
        shape=schemas.shape,
        error_ref=error_ref,
        # They are named beside the error body; without that section each response names its own.
        common_headers=_common_headers([response for _, response in responses]) if error_ref else {},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operation:
    """An operation, or a webhook that we send."""

    anchor: str
    method: str
    path: str
    described: Schema
    needs_token: bool = False
    example: str = ""


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    description: str
    anchor: str
    operations: list[_Operation]


class _Anchors:
    """Gives each name that is called an anchor of its own."""

    def __init__(self) -> None:
        self._taken = set(_ANCHORS_OF_THE_PAGE)

    def __call__(self, name: str) -> str:
        slug = anchor = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-")
        again = 1
        while anchor in self._taken:
            again += 1
            anchor = f"{slug}-{again}"
        self._taken.add(anchor)
        return anchor


_Row = tuple[str, str, Schema]


def _rows(paths: Schema) -> Iterator[_Row]:
    for path, item in paths.items():
        yield from ((path, method, item[method]) for method in _METHODS if method in item)


def _server(document: Schema) -> str:
    return str(document["servers"][0]["url"]).rstrip("/")


def _operation(document: Schema, row: _Row, schemas: "_Schemas", name_anchor: _Anchors) -> _Operation:
    path, method, described = row
    operation = _Operation(
        anchor=name_anchor(described.get("operationId", f"{method}{path}")),
        method=method.upper(),
        path=path,
        described=described,
        needs_token=bool(described.get("security", document.get("security"))),
    )
    return replace(operation, example=_curl(_server(document), operation, schemas))


def _webhook(row: _Row, schemas: "_Schemas", name_anchor: _Anchors) -> _Operation:
    name, _, described = row
    contents = list(described.get("requestBody", {}).get("content", {}).values())
    return _Operation(
        anchor=name_anchor(f"webhook-{name}"),
        method="EVENT",
        path=name,
        described=described,
        example=_indented(schemas.example(contents[0])) if contents else "",
    )


def _groups(tags: list[Schema], operations: list[_Operation], name_anchor: _Anchors) -> list[_Group]:
    described = {tag["name"]: tag.get("description", "") for tag in tags}
    members: dict[str, list[_Operation]] = {name: [] for name in described}
    for operation in operations:
        tag = next(iter(operation.described.get("tags", ())), "other")
        members.setdefault(tag, []).append(operation)
    return [
        _Group(name, described.get(name, ""), name_anchor(f"tag-{name}"), rows)
        for name, rows in members.items()
        if rows
    ]


def _first_request(operations: list[_Operation]) -> _Operation | None:
    """Choose what a newcomer can send with nothing but a token."""
    complete = [
        row for row in operations if row.method == "GET" and "$" not in row.example.partition("\n")[0]
    ]
    return next((row for row in complete if row.needs_token), None)


def _links(operations: list[_Operation]) -> dict[str, str]:
    """Let texts name an operation as `POST /quotes`, with or without the version in front."""
    without_version = re.compile(r"^/v[0-9]+(?=/)")
    return {
        f"{row.method} {path}": row.anchor
        for row in operations
        for path in (row.path, without_version.sub("", row.path))
    }


def _common_error(responses: list[tuple[str, Schema]]) -> str | None:
    """Find the body that refusals share, which the page shows once and not under every status."""
    refs = Counter(
        content["schema"]["$ref"]
        for status, response in responses
        if status >= "400"
        for content in response.get("content", {}).values()
        if "$ref" in content["schema"]
    )
    return refs.most_common(1)[0][0] if refs else None


def _common_headers(responses: list[Schema]) -> Schema:
    headers = [response.get("headers", {}) for response in responses] or [{}]
    return {name: header for name, header in headers[0].items() if all(name in others for others in headers)}


@dataclass(frozen=True, slots=True)
class _Object:
    """The fields of an object; none where it is inside itself and was shown further up."""

    name: str
    description: str
    fields: tuple["_Field", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What a schema allows, in words."""

    type: str
    description: str = ""
    limits: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    default: str | None = None
    example: str | None = None
    objects: tuple[_Object, ...] = ()


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    is_required: bool
    shape: _Shape


class _Schemas:
    """Reads schemas that refer to the components of one document."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def shape(self, schema: Schema, above: tuple[str, ...] = ()) -> _Shape:
        """Say what a schema allows; `above` names the objects around it, so that loops end."""
        name, schema = self._resolve(schema)
        if name and name in above:
            shape = _Shape(type=name, objects=(_Object(name, "", ()),))
        else:
            shape = self._bare_shape(name, schema, (*above, name))
        return replace(
            shape,
            description=schema.get("description", shape.description),
            default=_literal(schema["default"]) if "default" in schema else shape.default,
            example=_literal(schema["examples"][0]) if schema.get("examples") else shape.example,
        )

    def _resolve(self, schema: Schema) -> tuple[str, Schema]:
        """Follow a reference; words beside it win over those of what it names."""
        name = ""
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = {**self._components[name], **{key: schema[key] for key in schema if key != "$ref"}}
        return name, schema

    def _bare_shape(self, name: str, schema: Schema, above: tuple[str, ...]) -> _Shape:
        kind = schema.get("type")
        limits = tuple(_limits(schema))
        if branches := _branches(schema):
            return _either(self.shape(branch, above) for branch in branches)
        if "enum" in schema or "const" in schema:
            allowed = schema["enum"] if "enum" in schema else [schema["const"]]
            kinds = dict.fromkeys(_TYPE_NAMES.get(type(value), "string") for value in allowed)
            return _Shape(type=kind or " or ".join(kinds), values=tuple(map(_literal, allowed)))
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
        return _Shape(type=f"{kind or 'anything'} ({form})" if form else kind or "anything", limits=limits)

    def _object(self, name: str, schema: Schema, limits: tuple[str, ...], above: tuple[str, ...]) -> _Shape:
        others = schema.get("additionalProperties")
        if "properties" not in schema and isinstance(others, dict) and others:
            value = self.shape(others, above)
            return replace(
                value, type=f"object of {value.type}", limits=limits + value.limits, description=""
            )
        if "properties" not in schema:
            return _Shape(type="object", limits=limits)
        fields = tuple(
            _Field(field, field in schema.get("required", ()), self.shape(described, above))
            for field, described in schema["properties"].items()
        )
        description = self._components.get(name, schema).get("description", "")
        closed = ("no other fields",) if others is False else ()
        shown = _Object(name or "object", description, fields)
        return _Shape(type=shown.name, limits=limits + closed, objects=(shown,))

    def example(self, content: Schema) -> object:
        """Give the example of a body, or make one."""
        return content["example"] if "example" in content else self.sample(content["schema"])

    def sample(self, schema: Schema, above: tuple[str, ...] = ()) -> object:
        """Make a small value of the kind a schema asks for."""
        name, schema = self._resolve(schema)
        given = [*schema.get("examples", ()), *schema.get("enum", ())]
        given += [schema[key] for key in ("const", "default") if key in schema]
        if given:
            return given[0]
        is_loop = bool(name) and name in above
        inside = (*above, name)
        if (branches := _branches(schema)) and not is_loop:
            return self.sample(branches[0], inside)
        kind = schema.get("type", "string")
        if kind == "object" and not is_loop:
            properties = schema.get("properties", {})
            return {key: self.sample(properties[key], inside) for key in schema.get("required", ())}
        if kind == "array" and "items" in schema and schema.get("minItems") and not is_loop:
            return [self.sample(schema["items"], inside)]
        if kind == "string":
            return _SAMPLE_TEXTS.get(schema.get("format", ""), "text")
        return schema.get("minimum", _SAMPLES[kind])


def _branches(schema: Schema) -> list[Schema]:
    if isinstance(schema.get("type"), list):
        return [{**schema, "type": kind, "description": ""} for kind in schema["type"]]
    return schema.get("anyOf") or schema.get("oneOf") or []


def _either(branches: Iterable[_Shape]) -> _Shape:
    """Put the branches of a union into one shape."""
    shapes = list(branches)
    return _Shape(
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


def _literal(value: object) -> str:
    """Write a value as JSON, but a text without its quotes."""
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()


def _indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _curl(server: str, operation: _Operation, schemas: _Schemas) -> str:
    """Write the request for a shell; what only the caller knows stands as a variable."""
    sent = [
        row for row in operation.described.get("parameters", ()) if row.get("required") or "example" in row
    ]
    values = {row["name"]: _argument(row) for row in sent}
    path = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], _escaped(operation.path))
    query = "&".join(f"{_escaped(row['name'])}={values[row['name']]}" for row in sent if row["in"] == "query")
    verb = "" if operation.method == "GET" else f"-X {operation.method} "
    words = [f'curl {verb}"{_escaped(server)}{path}{"?" if query else ""}{query}"']
    if operation.needs_token:
        words.append('-H "Authorization: Bearer $BINDERY_TOKEN"')
    words += [f'-H "{_escaped(row["name"])}: {values[row["name"]]}"' for row in sent if row["in"] == "header"]
    for media_type, content in operation.described.get("requestBody", {}).get("content", {}).items():
        words += _body_words(media_type, content, schemas)
        break  # one of the forms is enough
    return " \\\n  ".join([*words, *_output_words(operation)])


def _argument(parameter: Schema) -> str:
    schema = parameter["schema"]
    given = [parameter[key] for key in ("example",) if key in parameter]
    given += [*schema.get("examples", ()), *schema.get("enum", ())]
    if not given:
        return _variable(parameter["name"])
    return _escaped(str(given[0])) if parameter["in"] == "header" else quote(str(given[0]), safe="")


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name).upper()


def _escaped(text: str) -> str:
    """Guard a text that stands in double quotes in a shell."""
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _body_words(media_type: str, content: Schema, schemas: _Schemas) -> Iterator[str]:
    if media_type == "multipart/form-data":
        for part in schemas.shape(content["schema"]).objects[:1]:
            yield from (f'-F "{_escaped(field.name)}={_form_value(field)}"' for field in part.fields)
        return
    yield f'-H "Content-Type: {_escaped(media_type)}"'
    is_json = media_type.endswith("json")
    yield f"-d {shlex.quote(_indented(schemas.example(content)))}" if is_json else "--data-binary @body"


def _form_value(field: _Field) -> str:
    if "binary" in field.shape.type:
        return "@document.pdf"
    return _variable(field.name) if field.shape.example is None else _escaped(field.shape.example)


def _output_words(operation: _Operation) -> list[str]:
    """Keep bytes that are no text out of the terminal."""
    for status, response in operation.described.get("responses", {}).items():
        for media_type in response.get("content", {}) if status.startswith("2") else ():
            if not media_type.startswith("text/") and not media_type.endswith("json"):
                return [f"--output document{mimetypes.guess_extension(media_type) or '.bin'}"]
    return []


def _phrase(status: str) -> str:
    return HTTPStatus(int(status)).phrase if status.isdecimal() else ""


def _pieces(text: str) -> list[list[tuple[str, str]]]:
    """Take a text apart into paragraphs of pairs: plain text, and the code in backticks after it."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    split = [[*re.split(r"`([^`]+)`", paragraph), ""] for paragraph in paragraphs if paragraph]
    return [list(zip(parts[::2], parts[1::2], strict=True)) for parts in split]


_TEMPLATES: Final = Environment(
    loader=PackageLoader("bindery.api"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(pieces=_pieces, phrase=_phrase)
