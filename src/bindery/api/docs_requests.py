"""An operation's request in a shell, and in the languages of the clients: `make docs` writes the latter."""

import mimetypes
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final
from urllib.parse import quote

import msgspec

from bindery.api.docs_schema import Field, Schema

SAMPLES_FILE: Final = "client_samples.json"
CONNECT: Final = {
    "python": """import os

from bindery_client import Bindery

bindery = Bindery(os.environ["BINDERY_TOKEN"], "{server}")""",
    "typescript": """import {{ Bindery }} from "@bindery/client";

const bindery = new Bindery({{ token: process.env.BINDERY_TOKEN!, baseUrl: "{server}" }});""",
}
"""How a program connects, which the examples take for granted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOperation:
    anchor: str
    method: str
    path: str
    described: Schema
    needs_token: bool = False
    example: str = ""
    samples: Mapping[str, str] = field(default_factory=dict)
    bodies: tuple[tuple[str, str], ...] = ()
    """Examples of its body by media type, to begin with."""
    form_fields: tuple[Field, ...] = ()


def curl(server: str, operation: ShownOperation) -> str:
    """Write the request for a shell; values that only the caller has stand as variables."""
    sent = [row for row in operation.described.get("parameters", ()) if row.get("required")]
    values = {row["name"]: _argument(row) for row in sent}
    path = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], _escaped(operation.path))
    query = "&".join(f"{_escaped(row['name'])}={values[row['name']]}" for row in sent if row["in"] == "query")
    verb = "" if operation.method == "GET" else f"-X {operation.method} "
    words = [f'curl {verb}"{_escaped(server)}{path}{"?" if query else ""}{query}"']
    if operation.needs_token:
        words.append('-H "Authorization: Bearer $BINDERY_TOKEN"')
    words += [f'-H "{_escaped(row["name"])}: {values[row["name"]]}"' for row in sent if row["in"] == "header"]
    words += [f'-F "{_escaped(field.name)}={_form_value(field)}"' for field in operation.form_fields]
    for media_type, body in operation.bodies:
        words += [f'-H "Content-Type: {_escaped(media_type)}"', f"-d {shlex.quote(body)}"]
    return " \\\n  ".join([*words, *_output_words(operation)])


def _argument(parameter: Schema) -> str:
    allowed = parameter["schema"].get("enum", ())
    if not allowed:
        return _variable(parameter["name"])
    value = str(parameter.get("example", allowed[0]))
    return _escaped(value) if parameter["in"] == "header" else quote(value, safe="")


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name).upper()


def _escaped(text: str) -> str:
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _form_value(field: Field) -> str:
    if "binary" in field.shape.type:
        return "@document.pdf"
    return _variable(field.name) if field.shape.example is None else _escaped(field.shape.example)


def _output_words(operation: ShownOperation) -> list[str]:
    """Return the options that keep binary answers out of the terminal."""
    for status, response in operation.described.get("responses", {}).items():
        for media_type in response.get("content", {}) if status.startswith("2") else ():
            if not media_type.startswith("text/") and not media_type.endswith("json"):
                return [f"--output document{mimetypes.guess_extension(media_type) or '.bin'}"]
    return []


def indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


@cache
def client_samples() -> dict[str, dict[str, str]]:
    encoded = (resources.files("bindery.api") / SAMPLES_FILE).read_bytes()
    return msgspec.json.decode(encoded, type=dict[str, dict[str, str]])
