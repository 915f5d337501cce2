"""The reference: pages made from the OpenAPI document, asking no other host for anything."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from http import HTTPStatus
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from bindery.api.docs_requests import CONNECT, ShownOperation, client_samples, curl, indented
from bindery.api.docs_schema import Schema, Schemas
from bindery.api.guide.markdown import TAB_NAMES, render
from bindery.api.guide.pages import GuidePage
from bindery.http.kept_files import FONT, FONT_ADDRESS

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_ANCHORS_OF_THE_PAGE: Final = (
    "content",
    "filter",
    "query",
    "first-request",
    "authentication",
    "errors",
    "webhooks",
)


def template_file(name: str) -> str:
    return (resources.files("bindery.api") / "templates" / name).read_text("utf-8")


def style_of(*names: str) -> str:
    return "".join(map(template_file, names)).replace(FONT, FONT_ADDRESS)


def content_policy(style: str, script: str) -> str:
    """Return the content policy: run this script, apply this style, and call this service only."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {_hash_source(style)}",
            f"script-src {_hash_source(script)}",
            "font-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def _hash_source(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


STYLE: Final = style_of("docs.css", "guide.css")
_SCRIPT: Final = "".join(map(template_file, ("docs_shared.js", "docs_tabs.js", "docs.js", "console.js")))
CONTENT_POLICY: Final = content_policy(STYLE, _SCRIPT)
ADDRESS: Final = "/docs/reference"


class Reference:
    """A page for each operation and each delivery, and one that lists them and says what they share.

    The list has the anchors of a time when all stood on one page; each leads on to the page.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        components = document.get("components", {})
        self._document = {**document, "paths": _with_shared(document["paths"], components)}
        self._schemas = Schemas(components.get("schemas", {}))
        name_anchor = _Anchors()
        self._operations = [
            _operation(self._document, row, self._schemas, name_anchor)
            for row in _rows(self._document["paths"])
        ]
        webhooks = [_webhook(row, name_anchor) for row in _rows(self._document.get("webhooks", {}))]
        self._groups = _groups(self._document.get("tags", []), self._operations, name_anchor)
        if webhooks:
            self._groups.append(
                _Group(
                    "webhook deliveries",
                    "What the service sends to registered endpoints.",
                    "webhooks",
                    webhooks,
                )
            )
        self.names: Final = tuple(row.anchor for group in self._groups for row in group.operations)

    def contents(self, token: str = "") -> str:
        """Write the page that leads to all others; a token is filled in for those that send requests."""
        return self._page(
            "reference.html.j2",
            token=token,
            current=None,
            operations=self._operations,
            first=_first_request(self._operations),
            connect={language: text.format(server=self._server) for language, text in CONNECT.items()},
        )

    def page(self, name: str, token: str = "", guide_pages: Sequence[GuidePage] = ()) -> str:
        """Write the page of an operation or a delivery; it leads to the pages of the guide about it."""
        group, operation = self._places[name]
        place = self.names.index(name)
        return self._page(
            "operation.html.j2",
            token=token,
            current=operation,
            group=group,
            guide_pages=guide_pages,
            titles={page.name: render(page).title for page in guide_pages},
            before=self._places[self.names[place - 1]][1] if place else None,
            after=self._places[self.names[place + 1]][1] if place + 1 < len(self.names) else None,
        )

    def address_of(self, request: str) -> str | None:
        """Return the page of what a text calls `GET /quotes/{identifier}` or `quote.published`."""
        if (delivery := f"webhook-{request}") in self._places:
            return f"{ADDRESS}/{delivery}"
        named = request.partition("?")[0]
        return next((page for pattern, page in self._patterns if pattern.fullmatch(named)), None)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        # Whole paths before those with parameters, which would fit them too.
        rows = sorted(self._operations, key=lambda row: row.path.count("{"))
        return [(_called(row), f"{ADDRESS}/{row.anchor}") for row in rows]

    @cached_property
    def _places(self) -> dict[str, tuple["_Group", ShownOperation]]:
        return {row.anchor: (group, row) for group in self._groups for row in group.operations}

    @cached_property
    def _server(self) -> str:
        return _server(self._document)

    @cached_property
    def _shared(self) -> dict[str, Any]:
        """Return what all pages are written with."""
        responses = [item for row in self._operations for item in row.described.get("responses", {}).items()]
        error_ref = _common_error(responses)
        return {
            "style": STYLE,
            "script": _SCRIPT,
            "info": self._document["info"],
            "version": self._document["info"]["version"],
            "server": self._server,
            "address": ADDRESS,
            "groups": self._groups,
            "languages": TAB_NAMES,
            "address_of": self.address_of,
            "shape": self._schemas.shape,
            "indented": indented,
            "error_ref": error_ref,
            # They are named next to the error body; without that section each response names its own.
            "common_headers": _common_headers([row for _, row in responses]) if error_ref else {},
        }

    def _page(self, template: str, **shown: Any) -> str:  # noqa: ANN401 - what a template shows
        return page_templates().get_template(template).render(self._shared | shown)


def _with_shared(part: Any, components: Schema) -> Any:  # noqa: ANN401 - any part of a document
    match part:
        case {"$ref": str(place)} if place.startswith(("#/components/responses/", "#/components/headers/")):
            kind, name = place.split("/")[2:]
            return _with_shared(components[kind][name], components)
        case dict():
            return {key: _with_shared(inside, components) for key, inside in part.items()}
        case list():
            return [_with_shared(inside, components) for inside in part]
        case _:
            return part


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    description: str
    anchor: str
    operations: list[ShownOperation]


class _Anchors:
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


def _operation(document: Schema, row: _Row, schemas: Schemas, name_anchor: _Anchors) -> ShownOperation:
    path, method, described = row
    contents = described.get("requestBody", {}).get("content", {})
    operation = ShownOperation(
        anchor=name_anchor(described.get("operationId", f"{method}{path}")),
        method=method.upper(),
        path=path,
        described=described,
        needs_token=bool(described.get("security", document.get("security"))),
        samples=client_samples().get(described.get("operationId", ""), {}),
        bodies=tuple(
            (media_type, indented(content["example"]))
            for media_type, content in contents.items()
            if media_type.endswith("json")
        ),
        form_fields=tuple(
            field
            for media_type, content in contents.items()
            if media_type == "multipart/form-data"
            for part in schemas.shape(content["schema"]).objects[:1]
            for field in part.fields
        ),
    )
    return replace(operation, example=curl(_server(document), operation))


def _called(operation: ShownOperation) -> re.Pattern[str]:
    """Return how texts name an operation: with or without the version, with values or their names."""
    path = re.sub(r"^/v[0-9]+(?=/)", "", operation.path)
    parts = map(re.escape, re.split(r"\{\w+\}", path))
    return re.compile(f"{operation.method} (?:/v[0-9]+)?{'[^/ ]+'.join(parts)}")


def _webhook(row: _Row, name_anchor: _Anchors) -> ShownOperation:
    name, _, described = row
    return ShownOperation(
        anchor=name_anchor(f"webhook-{name}"),
        method="EVENT",
        path=name,
        described=described,
        example=indented(described["requestBody"]["content"]["application/json"]["example"]),
    )


def _groups(tags: list[Schema], operations: list[ShownOperation], name_anchor: _Anchors) -> list[_Group]:
    described = {tag["name"]: tag.get("description", "") for tag in tags}
    members: dict[str, list[ShownOperation]] = {name: [] for name in described}
    for operation in operations:
        tag = next(iter(operation.described.get("tags", ())), "other")
        members.setdefault(tag, []).append(operation)
    return [
        _Group(name, described.get(name, ""), name_anchor(f"tag-{name}"), rows)
        for name, rows in members.items()
        if rows
    ]


def _first_request(operations: list[ShownOperation]) -> ShownOperation | None:
    """Choose a request that a newcomer can send with nothing but a token."""
    complete = [
        row for row in operations if row.method == "GET" and "$" not in row.example.partition("\n")[0]
    ]
    return next((row for row in complete if row.needs_token), None)


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


def _phrase(status: str) -> str:
    return HTTPStatus(int(status)).phrase if status.isdecimal() else ""


def _pieces(text: str) -> list[list[tuple[str, str]]]:
    """Split a text into paragraphs of pairs: plain text, and the code in backticks after it."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    split = [[*re.split(r"`([^`]+)`", paragraph), ""] for paragraph in paragraphs if paragraph]
    return [list(zip(parts[::2], parts[1::2], strict=True)) for parts in split]


@cache
def page_templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("bindery.api"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(pieces=_pieces, phrase=_phrase)
    return templates
