"""How the client packages send each operation: made from the document and the client's methods."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.client import Bindery
from bindery.settings import Settings

KNOWN_TO_THE_CALLER: Final = {
    "quote": "identifier",
    "webhook_id": "webhook_id",
    "company_id": "company_id",
    "signature_request_id": "signature_request_id",
    "change_id": "change_id",
    "content": "content",
    "contingency": "contingency_id",
}
"""Arguments that are a variable, as only the caller knows them, by the name of the variable."""
USUAL: Final[dict[str, Any]] = {
    "product": "CYB",
    "document_type": "policy",
    "packet_type": "policy",
    "words": "bakery",
    "name": "application.pdf",
    "filters": {"limit": 20},
    "wait": 30,
}
"""Arguments that are shown with a usual value, also where they may be left out."""
FIELDS: Final = {"days": "advance_days"}
"""Arguments that the body has under another name."""
IN_TYPESCRIPT: Final = {"wait": "waitSeconds"}
"""Options that have another name in TypeScript than in Python."""
IMPORTS: Final[dict[type, str]] = {
    date: "from datetime import date\n\n",
    datetime: "from datetime import UTC, datetime\n\n",
}
LINE: Final = 96
NARROW: Final = 72

Argument = tuple[inspect.Parameter, object]


class Variable(str):
    __slots__ = ()


def client_samples() -> str:
    calls = {name: list(arguments) for name, arguments in _calls()}
    python = _formatted({name: _python(name, arguments) for name, arguments in calls.items()})
    samples = {
        name: {"python": python[name], "typescript": _typescript(name, arguments)}
        for name, arguments in calls.items()
    }
    return msgspec.json.format(msgspec.json.encode(samples), indent=1).decode() + "\n"


def _calls() -> Iterator[tuple[str, Iterator[Argument]]]:
    document = openapi_document(OPERATIONS, base_url=Settings().base_url)
    for methods in document["paths"].values():
        for described in methods.values():
            name = described["operationId"]
            method = getattr(Bindery, name, None)
            if method is not None:
                content = described.get("requestBody", {}).get("content", {}).get("application/json")
                body = content["example"] if content else None
                yield name, _arguments(method, body)


def _arguments(method: Callable[..., object], body: object) -> Iterator[Argument]:
    """Choose what to show of a method's arguments: all that it needs, and the usual ones of the others."""
    fields = body if isinstance(body, dict) else {}
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        field = FIELDS.get(name, name)
        if name == "request":
            yield parameter, body
        elif field in fields:
            if fields[field] != parameter.default:
                yield parameter, _typed(fields[field], parameter.annotation)
        elif name in KNOWN_TO_THE_CALLER and (parameter.default is parameter.empty or name == "contingency"):
            yield parameter, Variable(KNOWN_TO_THE_CALLER[name])
        elif name in USUAL:
            yield parameter, USUAL[name]


def _typed(value: object, kind: object) -> object:
    if isinstance(value, str) and kind == date:
        return date.fromisoformat(value)
    if isinstance(value, str) and kind == datetime | None:
        return datetime.fromisoformat(value)
    return value


def _python(name: str, arguments: list[Argument]) -> str:
    written = [
        f"{parameter.name}={_python_value(value)}" if _is_option(parameter) else _python_value(value)
        for parameter, value in arguments
    ]
    imports = {type(value): IMPORTS[type(value)] for _, value in arguments if type(value) in IMPORTS}
    return f"{''.join(imports.values())}answer = bindery.{name}({', '.join(written)})"


def _python_value(value: object) -> str:
    match value:
        case Variable():
            return str(value)
        case datetime():
            return f"datetime({value.year}, {value.month}, {value.day}, tzinfo=UTC)"
        case date():
            return f"date({value.year}, {value.month}, {value.day})"
        case _:
            return repr(value)


def _formatted(programs: dict[str, str]) -> dict[str, str]:
    text = "".join(f"# {name}\n{program}\n" for name, program in programs.items())
    formatter = [str(Path(sys.executable).with_name("ruff")), "format", "--isolated"]
    written = subprocess.run(  # noqa: S603 - our own formatter
        [*formatter, f"--line-length={LINE}", "--stdin-filename", "samples.py", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    parts = re.split(r"^# (\w+)\n", written, flags=re.MULTILINE)[1:]
    return {name: program.strip() for name, program in zip(parts[::2], parts[1::2], strict=True)}


def _typescript(name: str, arguments: list[Argument]) -> str:
    options = {
        IN_TYPESCRIPT.get(parameter.name, _camel(parameter.name)): value
        for parameter, value in arguments
        if _is_option(parameter)
    }
    values = [value for parameter, value in arguments if not _is_option(parameter)]
    values += [options] if options else []
    on_one_line = f"const answer = await bindery.{_camel(name)}({', '.join(map(_flat, values))});"
    if len(on_one_line) <= LINE:
        return on_one_line
    return (
        f"const answer = await bindery.{_camel(name)}({', '.join(_broken(value, '') for value in values)});"
    )


def _broken(value: object, indent: str) -> str:
    """Write a value with a line for each part of it; a part that fits stays on its line."""
    inside = indent + "  "

    def part(value: object) -> str:
        flat = _flat(value)
        return flat if len(inside) + len(flat) <= NARROW else _broken(value, inside)

    match value:
        case dict():
            rows = [f"{inside}{_key(key)}: {part(below)}," for key, below in value.items()]
            return "\n".join(["{", *rows, f"{indent}}}"])
        case list():
            rows = [f"{inside}{part(below)}," for below in value]
            return "\n".join(["[", *rows, f"{indent}]"])
        case _:
            return _flat(value)


def _flat(value: object) -> str:
    match value:
        case Variable():
            return _camel(value)
        case datetime() | date():
            return f'"{value.isoformat().replace("+00:00", "Z")}"'
        case dict():
            inside = ", ".join(
                _key(key) if _flat(part) == key else f"{_key(key)}: {_flat(part)}"
                for key, part in value.items()
            )
            return f"{{ {inside} }}" if inside else "{}"
        case list():
            return f"[{', '.join(map(_flat, value))}]"
        case _:
            return msgspec.json.encode(value).decode()


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f'"{name}"'


def _is_option(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.KEYWORD_ONLY


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
