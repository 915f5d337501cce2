import itertools
import json
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import msgspec
import pytest

from bindery.api.docs_page import ADDRESS, Reference
from bindery.api.guide.pages import PAGE_BY_NAME
from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.contract.errors import ErrorBody
from bindery.http.kept_files import FONT_ADDRESS

BASE_URL = "http://127.0.0.1:8000/v2"
VOID = {"meta", "link", "input", "wbr", "br", "img", "rect", "path"}
HOSTILE = "<script>alert(1)</script> \"><img src=x onerror=alert(2)> {{ 7 * 7 }} </style> it's $(id) `<b>`"
REFUSED = {
    "description": "Refused.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}},
}


class Page(HTMLParser):
    """A page taken apart: what it loads, where it points, and the text and example of each article."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.blocks: list[tuple[str, str]] = []
        self.statuses: dict[str, list[str]] = {}
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._open: list[tuple[str, str, str]] = []
        self.feed(html)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append((tag, given))
        if "id" in given:
            self.ids.append(str(given["id"]))
        place = {"nav": "nav", "main": "main"}.get(tag, self._place)
        if tag == "article":
            place = str(given["id"])
        if tag == "pre":
            self.blocks.append((place, ""))
        if tag not in VOID:
            self._open.append((tag, place, given.get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _, _ in self._open]
        if "script" in tags:
            self.scripts.append(data)
        elif "style" in tags:
            self.styles.append(data)
        else:
            self.texts[self._place] = self.texts.get(self._place, "") + data
        if self._open and self._open[-1][2].startswith("status "):
            self.statuses.setdefault(self._place, []).append(data)
        if "pre" in tags:
            place, text = self.blocks.pop()
            self.blocks.append((place, text + data))

    @property
    def _place(self) -> str:
        return self._open[-1][1] if self._open else ""

    def words(self, place: str) -> str:
        return " ".join(self.texts[place].split())

    def example(self, place: str) -> str:
        """The request, which comes before the examples of its answers."""
        return self.examples(place)[0]

    def examples(self, place: str) -> list[str]:
        return [text for where, text in self.blocks if where == place]

    def attributes(self, name: str) -> list[tuple[str, str]]:
        return [(tag, str(given[name])) for tag, given in self.elements if name in given]


@dataclass
class Book:
    """All pages of a reference: the list of operations, and a page for each, by its name."""

    reference: Reference

    @cached_property
    def contents(self) -> Page:
        return Page(self.reference.contents())

    @cached_property
    def by_name(self) -> dict[str, Page]:
        return {name: Page(self.reference.page(name)) for name in self.reference.names}

    @property
    def pages(self) -> list[Page]:
        return [self.contents, *self.by_name.values()]

    def words(self, name: str) -> str:
        return self.by_name[name].words(name)

    def example(self, name: str) -> str:
        return self.by_name[name].example(name)

    def examples(self, name: str) -> list[str]:
        return self.by_name[name].examples(name)


def book_of(document: dict[str, Any]) -> Book:
    return real_book() if document is REAL else Book(Reference(document))


def document_of(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    fault = {
        "title": "Fault",
        "type": "object",
        "properties": {"only_in_fault": {"type": "string"}},
        "required": ["only_in_fault"],
    }
    schemas = {"Fault": fault, **more.pop("schemas", {})}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Bindery: quoting", "version": "1.2.3", "description": "Quotes."},
        "servers": [{"url": "https://api.partner.example"}],
        "paths": paths,
        "components": {"schemas": schemas},
        **more,
    }


def operation_of(name: str, **more: Any) -> dict[str, Any]:
    responses = {"200": {"description": "Done."}, "400": REFUSED}
    return {
        "operationId": name,
        "summary": f"Summary of {name}",
        "tags": ["quotes"],
        "responses": responses,
        **more,
    }


def body_of(schema: dict[str, Any], media_type: str = "application/json", **more: Any) -> dict[str, Any]:
    return {"required": True, "content": {media_type: {"schema": schema, "example": {}, **more}}}


def page_of_field(schema: dict[str, Any], schemas: dict[str, Any] | None = None) -> str:
    """Return the text of an operation whose body has one field."""
    body = body_of({"type": "object", "properties": {"it": schema}})
    paths = {"/v2/things": {"post": operation_of("make", requestBody=body)}}
    return book_of(document_of(paths, schemas=schemas or {})).words("make")


SMALL = document_of(
    {
        "/v2/quotes/{identifier}": {
            "get": operation_of(
                "get_quote",
                parameters=[
                    {"name": "identifier", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "Prefer", "in": "header", "description": "Waits.", "schema": {"type": "string"}},
                ],
                security=[{"bearer": []}],
            ),
            "delete": operation_of(
                "drop_quote",
                parameters=[
                    {"name": "identifier", "in": "path", "required": True, "schema": {"type": "string"}},
                ],
            ),
        },
        "/v2/quotes": {
            "get": operation_of(
                "list_quotes",
                parameters=[
                    {"name": "product", "in": "query", "required": True, "schema": {"enum": ["A & B", "C"]}},
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1, "maximum": 100},
                    },
                ],
                security=[{"bearer": []}],
            ),
            "post": operation_of(
                "create_quotes",
                description="Then `GET /quotes/{identifier}`.",
                requestBody=body_of(
                    {"$ref": "#/components/schemas/Ask"}, example={"name": 'Ann\'s $HOME `id` \\ "x"', "n": 1}
                ),
                security=[{"bearer": []}],
            ),
        },
    },
    schemas={
        "Ask": {
            "title": "Ask",
            "description": "What is asked.",
            "type": "object",
            "properties": {"name": {"type": "string"}, "inner": {"$ref": "#/components/schemas/Inner"}},
            "required": ["name"],
        },
        "Inner": {"title": "Inner", "type": "object", "properties": {"deep_field": {"type": "boolean"}}},
    },
)
REAL = openapi_document(OPERATIONS, base_url=BASE_URL)


@cache
def real_book() -> Book:
    """Return the pages of the real document; seconds to make and to take apart."""
    return Book(Reference(REAL))


BOTH = pytest.mark.parametrize("document", [SMALL, REAL], ids=["small", "real"])


def rows_of(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, row) for path, item in document["paths"].items() for method, row in item.items()]


def with_values(command: str) -> str:
    """Fill in what the caller would know."""
    return re.sub(r"(?<!\\)\$(?!BINDERY_TOKEN)[A-Z_]+", "some-value", command)


def arguments_of(command: str) -> list[str]:
    """Run a command in a shell, with a `curl` that prints its arguments."""
    script = "curl() { printf '%s\\0' \"$@\"; }\n" + command
    shell = {"PATH": os.environ["PATH"], "BINDERY_TOKEN": "tok en", "IDENTIFIER": "id-1"}
    done = subprocess.run(["sh", "-euc", script], env=shell, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


@BOTH
def test_every_operation_has_an_article_and_an_entry_in_the_contents(document: dict[str, Any]) -> None:
    book = book_of(document)

    for path, method, row in rows_of(document):
        assert f"{method.upper()} {path}" in book.contents.words("nav")
        assert book.words(row["operationId"]).startswith(f"{row['summary']} {method.upper()} {path}")
    assert len(book.by_name) == len(rows_of(document)) + len(document.get("webhooks", {}))
    for name, page in book.by_name.items():
        assert [given["id"] for tag, given in page.elements if tag == "article"] == [name]


@BOTH
def test_every_parameter_is_shown_with_its_place(document: dict[str, Any]) -> None:
    book = book_of(document)

    for _, _, row in rows_of(document):
        for parameter in row.get("parameters", []):
            needed = " required" if parameter.get("required") else ""
            assert f"{parameter['name']} {parameter['in']}{needed}" in book.words(row["operationId"])


@BOTH
def test_every_response_is_shown_with_its_description(document: dict[str, Any]) -> None:
    book = book_of(document)

    for _, _, row in rows_of(document):
        answers = book.words(row["operationId"]).partition(" Answers ")[2]
        assert book.by_name[row["operationId"]].statuses[row["operationId"]] == list(row["responses"])
        for response in row["responses"].values():
            described = shared_or_own(response, document)["description"]
            assert " ".join(described.replace("`", "").split()) in answers


def shared_or_own(response: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in response:
        found: dict[str, Any] = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        return found
    return response


def test_every_answer_is_shown_with_its_example() -> None:
    book = real_book()

    for _, _, row in rows_of(REAL):
        answers = [text for text in book.examples(row["operationId"])[1:] if " bindery." not in text]
        shown = [json.loads(text) for text in answers]
        for status, response in row["responses"].items():
            for content in response.get("content", {}).values():
                if status < "300" and isinstance(content.get("example"), dict):
                    assert content["example"] in shown


def test_what_an_answer_shares_with_others_is_shown_with_each() -> None:
    shared = {"description": "Nothing there.", "headers": {"Age": {"$ref": "#/components/headers/Age"}}}
    paths = {
        "/v2/a": {"get": operation_of("a", responses={"404": {"$ref": "#/components/responses/Missing"}})}
    }
    document = document_of(paths)
    document["components"] |= {
        "responses": {"Missing": shared},
        "headers": {"Age": {"description": "In seconds."}},
    }

    words = book_of(document).words("a")

    assert "Nothing there." in words
    assert "Header Age Age In seconds." in words


@BOTH
def test_every_field_of_every_body_is_shown(document: dict[str, Any]) -> None:
    book = book_of(document)

    for _, _, row in rows_of(document):
        for content in row.get("requestBody", {"content": {}})["content"].values():
            for name in fields_within(content["schema"], document["components"]["schemas"], seen=set()):
                assert re.search(rf"\b{name}\b", book.words(row["operationId"]))


def fields_within(schema: dict[str, Any], components: dict[str, Any], seen: set[str]) -> set[str]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return set() if name in seen else fields_within(components[name], components, seen | {name})
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    inside += [schema["items"]] if "items" in schema else []
    return set(schema.get("properties", {})).union(
        *(fields_within(part, components, seen) for part in inside)
    )


@BOTH
def test_anchors_are_unique_and_every_inner_link_leads_somewhere(document: dict[str, Any]) -> None:
    book = book_of(document)

    pages = {ADDRESS: book.contents} | {f"{ADDRESS}/{name}": page for name, page in book.by_name.items()}
    for address, page in pages.items():
        assert len(set(page.ids)) == len(page.ids)
        for tag, target in page.attributes("href"):
            path, _, anchor = target.partition("#")
            if tag == "a" and (not path or path.startswith(ADDRESS)):
                assert not anchor or anchor in pages[path or address].ids
                assert not path or path in pages
            elif tag == "a" and path.startswith("/docs/"):
                assert path.removeprefix("/docs/") in PAGE_BY_NAME
    # Where all operations stood on one page, their anchors are links that others have kept.
    assert {row["operationId"] for _, _, row in rows_of(document)} <= set(book.contents.ids)


@BOTH
def test_nothing_is_loaded_from_anywhere(document: dict[str, Any]) -> None:
    book = book_of(document)

    for page in book.pages:
        assert page.attributes("src") == []
        assert [tag for tag, _ in page.elements if tag in {"img", "iframe", "object", "embed", "base"}] == []
        links = [target for tag, target in page.attributes("href") if tag != "a"]
        assert [target.partition(",")[0] for target in links] == ["data:image/svg+xml"]
        assert all(
            target.startswith(("#", "/v2/", "/docs")) for tag, target in page.attributes("href") if tag == "a"
        )
        assert (page.styles, page.scripts) == (book.contents.styles, book.contents.scripts)
    styles = "".join(book.contents.styles)
    assert re.findall(r"url\([^)]*\)", styles) == [f'url("{FONT_ADDRESS}")']
    assert not re.search(r"@import|//", styles)
    # The console sends what the reader asks for to this service; the policy of the page allows no other.
    assert re.findall(r"fetch\([^)]*", "".join(book.contents.scripts)) == [
        'fetch(path + (query.size ? `?${query}` : ""'
    ]
    assert not re.search(r"XMLHttpRequest|import|https?:", "".join(book.contents.scripts))


@BOTH
def test_the_page_has_landmarks_one_title_and_headings_without_gaps(document: dict[str, Any]) -> None:
    book = book_of(document)

    for page in book.pages:
        tags = [tag for tag, _ in page.elements]
        assert [tags.count(tag) for tag in ("header", "main", "h1")] == [1, 1, 1]
        levels = [int(tag[1]) for tag in tags[tags.index("main") :] if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))


def test_without_javascript_nothing_is_hidden_but_the_filter_and_the_console() -> None:
    book = book_of(SMALL)

    hidden = [given.get("class") for page in book.pages for _, given in page.elements if "hidden" in given]
    assert set(hidden) == {"find", "nothing", "token", "try"}
    sends = [given for page in book.pages for tag, given in page.elements if tag == "button"]
    assert {given.get("type") for given in sends} == {"submit"}


@BOTH
def test_every_example_is_a_command_a_shell_understands(document: dict[str, Any]) -> None:
    book = book_of(document)

    for path, method, row in rows_of(document):
        arguments = arguments_of(with_values(book.example(row["operationId"])))
        address = next(argument for argument in arguments if argument.startswith("http"))
        assert ("-X" in arguments) == (method != "get")
        assert ("Authorization: Bearer tok en" in arguments) == bool(row.get("security"))
        assert address.startswith(document["servers"][0]["url"] + path.partition("{")[0])
        assert "{" not in address
        for media_type in row.get("requestBody", {"content": {}})["content"]:
            if media_type == "application/json":
                assert f"Content-Type: {media_type}" in arguments
                json.loads(arguments[arguments.index("-d") + 1])


def test_every_operation_that_a_client_has_is_shown_with_it() -> None:
    book = real_book()

    without = {"docs", "livez", "metrics", "openapi", "readyz"}
    for _, _, row in rows_of(REAL):
        name = row["operationId"]
        camel = re.sub(r"_(\w)", lambda found: found[1].upper(), name)
        shown = book.examples(name)
        assert any(text.startswith(("answer", "from")) and f"bindery.{name}(" in text for text in shown) == (
            name not in without
        )
        assert any(f"await bindery.{camel}(" in text for text in shown) == (name not in without)


def test_the_example_body_survives_the_shell_letter_for_letter() -> None:
    book = book_of(SMALL)

    arguments = arguments_of(book.example("create_quotes"))

    assert json.loads(arguments[-1]) == {"name": 'Ann\'s $HOME `id` \\ "x"', "n": 1}
    assert arguments[:3] == ["-X", "POST", "https://api.partner.example/v2/quotes"]


def test_what_only_the_caller_knows_is_a_shell_variable() -> None:
    book = book_of(SMALL)

    assert '"https://api.partner.example/v2/quotes/$IDENTIFIER"' in book.example("get_quote")
    assert arguments_of(book.example("get_quote"))[0] == "https://api.partner.example/v2/quotes/id-1"


def test_required_query_parameters_stand_in_the_address_and_others_do_not() -> None:
    book = book_of(SMALL)

    assert (
        arguments_of(book.example("list_quotes"))[0]
        == "https://api.partner.example/v2/quotes?product=A%20%26%20B"
    )


def test_an_upload_is_shown_as_a_form_with_a_file() -> None:
    schema = {
        "type": "object",
        "properties": {
            "file": {"type": "string", "contentMediaType": "application/octet-stream"},
            "identifier": {"type": "string"},
        },
    }
    paths = {
        "/v2/documents": {"post": operation_of("upload", requestBody=body_of(schema, "multipart/form-data"))}
    }

    arguments = arguments_of(book_of(document_of(paths)).example("upload"))

    assert arguments[3:] == ["-F", "file=@document.pdf", "-F", "identifier=id-1"]


def test_a_download_goes_to_a_file() -> None:
    pdf = {"200": {"description": "It.", "content": {"application/pdf": {"schema": {"type": "string"}}}}}
    paths = {"/v2/letter": {"get": operation_of("letter", responses=pdf)}}

    arguments = arguments_of(book_of(document_of(paths)).example("letter"))

    assert arguments == ["https://api.partner.example/v2/letter", "--output", "document.pdf"]


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    schema = {
        "type": "object",
        "description": HOSTILE,
        "properties": {HOSTILE: {"enum": [HOSTILE, *"abcdefgh"], "description": HOSTILE, "default": HOSTILE}},
    }
    row = operation_of(
        HOSTILE,
        summary=HOSTILE,
        description=HOSTILE,
        tags=[HOSTILE],
        parameters=[{"name": HOSTILE, "in": "header", "required": True, "schema": {"pattern": HOSTILE}}],
        requestBody=body_of(schema, example={HOSTILE: HOSTILE}),
        responses={"200": {"description": HOSTILE, "headers": {HOSTILE: {"description": HOSTILE}}}},
    )
    document = document_of({f"/v2/{HOSTILE}": {"post": row}}, webhooks={HOSTILE: {"post": row}})
    document["info"] = dict.fromkeys(("title", "version", "description"), HOSTILE)
    calm = book_of(SMALL)

    book = book_of(document)

    known = {tag for page in calm.pages for tag, _ in page.elements}
    for page in book.pages:
        assert page.scripts == calm.contents.scripts
        assert page.styles == calm.contents.styles
        assert {tag for tag, _ in page.elements} <= known
        assert not [name for _, given in page.elements for name in given if name.startswith("on")]
        assert "<script>alert(1)</script>" in " ".join(page.texts.values())
        assert "{{ 7 * 7 }}" in " ".join(page.texts.values())
        assert len(set(page.ids)) == len(page.ids)
    (command,) = [text for page in book.pages for _, text in page.blocks if text.startswith("curl")]
    arguments = arguments_of(with_values(command))
    assert arguments[2] == f"https://api.partner.example/v2/{HOSTILE}"
    assert json.loads(arguments[-1]) == {HOSTILE: HOSTILE}


def test_operations_with_one_name_or_a_name_of_the_page_get_anchors_of_their_own() -> None:
    paths = {
        f"/v2/{path}": {"get": operation_of(name)}
        for path, name in [("a", "get"), ("b", "get"), ("c", "errors")]
    }

    book = book_of(document_of(paths))

    assert list(book.by_name) == ["get", "get-2", "errors-2"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "maxLength": 400}, "it string max 400 characters"),
        ({"type": "string", "minLength": 1, "maxLength": 255}, "it string 1 to 255 characters"),
        ({"type": "string", "minLength": 6, "maxLength": 6}, "it string exactly 6 characters"),
        ({"type": "string", "minLength": 1}, "it string min 1 character"),
        ({"type": "string", "pattern": "^[0-9]{6}$"}, "it string matches ^[0-9]{6}$"),
        ({"type": "string", "format": "date"}, "it string (date)"),
        ({"type": "integer", "minimum": 1, "maximum": 5_000_000_000}, "it integer 1 to 5,000,000,000"),
        ({"type": "integer", "minimum": 0}, "it integer min 0"),
        ({"type": "number", "exclusiveMinimum": 0}, "it number more than 0"),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 75},
            "array of string 1 to 75 items",
        ),
        (
            {"type": "array", "items": {"type": "string", "maxLength": 9}},
            "it array of string each max 9 characters",
        ),
        ({"type": "array", "uniqueItems": True}, "it array no repeats"),
        ({"type": "object", "maxProperties": 50}, "it object max 50 fields"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "it object of string"),
        ({"type": ["string", "null"], "maxLength": 5}, "it string or null max 5 characters"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "it string or integer"),
        ({"enum": ["CYB", "MPL"], "default": "CYB"}, "it string CYB MPL Default CYB"),
        ({"type": "string", "default": ""}, 'it string Default ""'),
        ({"type": "string", "examples": ["Q2134"]}, "it string Example Q2134"),
        ({"type": "string", "description": "Named `insured`."}, "it string Named insured."),
        ({}, "it anything"),
    ],
)
def test_a_field_says_its_type_and_limits_in_words(schema: dict[str, Any], words: str) -> None:
    assert words in page_of_field(schema)


def test_eight_allowed_values_are_listed_and_nine_are_folded() -> None:
    eight = page_of_field({"enum": [*range(1000, 9000, 1000)]})
    nine = page_of_field({"enum": [*range(1000, 10000, 1000)]})

    assert "it integer 1000 2000 3000 4000 5000 6000 7000 8000" in eight
    assert "allowed values" not in eight
    assert "it integer 9 allowed values, 1,000 to 9,000 1000 2000" in nine


def test_a_nested_object_is_folded_under_its_field_with_its_own_description() -> None:
    inner = {
        "title": "Address",
        "description": "Where it is.",
        "type": "object",
        "properties": {"zip": {"type": "string"}},
        "required": ["zip"],
        "additionalProperties": False,
    }
    field = {"description": "Of the firm.", "$ref": "#/components/schemas/Address"}

    words = page_of_field(field, {"Address": inner})

    assert "it Address no other fields Of the firm. 1 field of Address Where it is." in words
    assert "zip required string" in words


@pytest.mark.parametrize(
    "loop",
    [
        {
            "type": "object",
            "properties": {"all": {"type": "array", "items": {"$ref": "#/components/schemas/Loop"}}},
        },
        {
            "type": "object",
            "properties": {"next": {"$ref": "#/components/schemas/Loop"}},
            "required": ["next"],
        },
        {"type": "array", "items": {"$ref": "#/components/schemas/Loop"}, "minItems": 1},
        {"anyOf": [{"$ref": "#/components/schemas/Loop"}, {"type": "string"}]},
    ],
)
def test_a_schema_inside_itself_ends(loop: dict[str, Any]) -> None:
    words = page_of_field({"$ref": "#/components/schemas/Loop"}, {"Loop": loop})

    assert words.count("Loop as above") == 1


def test_the_error_body_is_shown_once_and_refusals_point_to_it() -> None:
    book = book_of(SMALL)

    assert book.contents.words("main").count("only_in_fault") == 1
    assert "only_in_fault" not in "".join(
        text for page in book.by_name.values() for text in page.texts.values()
    )
    assert book.words("get_quote").endswith("400 Bad Request Refused. Error body")


def test_a_field_is_required_of_the_caller_and_always_sent_by_the_service() -> None:
    thing = {"type": "object", "properties": {"it": {"type": "string"}}, "required": ["it"]}
    answer = {"200": {"description": "Done.", "content": body_of(thing)["content"]}}
    row = operation_of("make", requestBody=body_of(thing), responses=answer)

    book = book_of(document_of({"/v2/things": {"post": row}}, webhooks={"made": {"post": row}}))

    asked, _, answered = book.words("make").partition(" Answers ")
    assert "it required string" in asked
    assert "it always sent string" in answered
    assert book.words("webhook-made").count("it always sent string") == 2


def test_the_error_example_is_one_the_service_could_send() -> None:
    text = resources.files("bindery.api").joinpath("templates/docs_error.json").read_text()

    body = msgspec.json.decode(text, type=ErrorBody)

    assert msgspec.to_builtins(body) == json.loads(text)
    assert json.loads(text) in [
        json.loads(block) for place, block in real_book().contents.blocks if block[0] == "{"
    ]


def test_headers_of_every_answer_are_named_once_and_others_where_they_come() -> None:
    everywhere = {"X-Request-Id": {"description": "Finds it."}}
    responses = {
        "202": {
            "description": "Soon.",
            "headers": {**everywhere, "Retry-After": {"description": "Seconds."}},
        },
        "400": {**REFUSED, "headers": everywhere},
    }

    book = book_of(document_of({"/v2/a": {"get": operation_of("a", responses=responses)}}))

    assert "Every answer carries the header X-Request-Id. Finds it." in book.contents.words("main")
    assert "202 Accepted Soon. Header Retry-After Retry-After Seconds." in book.words("a")
    assert "X-Request-Id" not in book.words("a")


def test_the_first_request_needs_a_token_and_no_variable() -> None:
    book = book_of(SMALL)

    setting, first = [text for place, text in book.contents.blocks if place == "main"][:2]
    assert setting == "export BINDERY_TOKEN='…'"
    assert first == book.example("list_quotes")


def test_open_operations_are_named_under_authentication() -> None:
    book = book_of(SMALL)

    assert "No token is needed for DELETE /v2/quotes/{identifier}." in book.contents.words("main")


def test_an_operation_named_in_a_text_is_linked() -> None:
    html = Reference(SMALL).page("create_quotes")

    assert 'Then <a href="/docs/reference/get_quote"><code>GET /quotes/{identifier}</code></a>.' in html


def test_paragraphs_are_kept_and_a_lone_backtick_stays_as_it_is() -> None:
    paths = {
        "/v2/a": {"get": operation_of("a", description="With `code`.\n\n    A lone ` stays,\n    here.")}
    }

    html = Reference(document_of(paths)).page("a")

    assert "<p>With <code>code</code>.</p>\n<p>A lone ` stays, here.</p>" in html


def test_groups_follow_the_tags_and_untagged_operations_come_last() -> None:
    paths = {
        "/v2/a": {"get": operation_of("a", tags=["second"])},
        "/v2/b": {"get": operation_of("b", tags=["first"])},
        "/v2/c": {"get": operation_of("c", tags=[])},
    }
    tags = [{"name": "first", "description": "About `b`."}, {"name": "unused"}, {"name": "second"}]

    book = book_of(document_of(paths, tags=tags))

    assert list(book.by_name) == ["b", "a", "c"]
    assert "First About b." in book.contents.words("main")
    assert "Unused" not in book.contents.words("main")


def test_webhooks_are_shown_with_an_example_delivery() -> None:
    sent = {"type": "object", "properties": {"type": {"const": "quote.published"}}, "required": ["type"]}
    webhook = {
        "summary": "A quote is open",
        "requestBody": body_of(sent, example={"type": "quote.published"}),
        "responses": {"2XX": {"description": "Taken."}},
    }

    book = book_of(document_of({}, webhooks={"quote.published": {"post": webhook}}))

    assert "EVENT quote.published" in book.contents.words("nav")
    assert book.words("webhook-quote.published").startswith("A quote is open EVENT quote.published")
    assert book.words("webhook-quote.published").endswith("Expected answers 2XX Taken.")
    assert json.loads(book.example("webhook-quote.published")) == {"type": "quote.published"}


def test_a_page_leads_to_the_guide_and_to_the_pages_beside_it() -> None:
    page = Page(Reference(REAL).page("get_quote", guide_pages=[PAGE_BY_NAME["waiting"]]))

    targets = [target for tag, target in page.attributes("href") if tag == "a"]
    assert "In the guide: Waiting" in page.words("get_quote")
    assert "/docs/waiting" in targets
    assert {"/docs/reference#tag-quotes", "/docs/reference/create_quotes"} <= set(targets)
    # A page of one operation is quick to open: all of them together have 80,000 elements.
    assert max(len(page.elements) for page in real_book().pages) < 8_500


@pytest.mark.parametrize(
    ("request_line", "name"),
    [
        ("GET /v2/quotes/{identifier}", "get_quote"),
        ("GET /quotes/{identifier}", "get_quote"),
        ("GET /v2/quotes?quote_status=published", "list_quotes"),
        ("GET /v2/questions/CYB", "get_questions"),
        ("GET /v2/quotes/application/{identifier}", "download_document"),
        ("GET /v2/companies/{company_id}", "get_company"),
        ("POST /v2/quotes/validate", "validate_quotes"),
        ("quote.published", "webhook-quote.published"),
        ("quote.printed", None),
        ("PUT /v2/quotes", None),
        ("GET /v2/nothing", None),
    ],
)
def test_what_a_text_names_has_a_page(request_line: str, name: str | None) -> None:
    assert Reference(REAL).address_of(request_line) == (name and f"{ADDRESS}/{name}")
