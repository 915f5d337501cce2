"""Decoding bodies: quickly when they are right, thoroughly when they are not.

msgspec stops at the first fault. When it finds one, the same schema is run over the body again by a validator
that reports them all; a right body pays nothing for that.

msgspec also passes over fields it does not know without looking inside. Since bodies are kept and shown again
as they were sent, every body is read as plain JSON too, at half the cost of the typed reading.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import jsonschema_rs
import msgspec

from bindery.base.errors import InvalidRequest, Problem

T = TypeVar("T")
NUL_ESCAPE: Final = b"\\u0000"
MAX_DEPTH: Final = 64
"""How deep lists and objects may lie in each other: no reader of what is shown again runs out of stack."""
FIRST_WHOLE_FLOAT: Final = 2.0**52
"""From here on a float cannot hold a fraction."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A body that is JSON but breaks the schema: what it says, and everything that is wrong with it."""

    raw: object
    problems: tuple[Problem, ...]


class BodyDecoder(Generic[T]):
    """Decodes one type of body."""

    def __init__(self, body_type: type[T]) -> None:
        self._type = body_type
        self._decode = msgspec.json.Decoder(body_type).decode

    def decode(self, body: bytes) -> T | Malformed:
        """Decode, or say everything that is wrong.

        Raises:
            InvalidRequest: it is not JSON at all.
        """
        raw = _decode_plain(body)
        try:
            decoded = self._decode(body)
        except msgspec.ValidationError as fault:
            return Malformed(raw, self._all_problems(raw, first=_problem_of(fault)))
        if NUL_ESCAPE in body and (found := tuple(_nul_characters(raw, ""))):
            return Malformed(raw, found)
        return decoded

    def require(self, body: bytes) -> T:
        """Decode.

        Raises:
            InvalidRequest: anything is wrong with it.
        """
        decoded = self.decode(body)
        if isinstance(decoded, Malformed):
            raise InvalidRequest.because(decoded.problems)
        return decoded

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft202012Validator:
        (schema,), definitions = msgspec.json.schema_components([self._type], ref_template="#/$defs/{name}")
        return jsonschema_rs.Draft202012Validator(
            {**schema, "$defs": definitions}, validate_formats=True, formats={"date": _is_date}
        )

    def _all_problems(self, raw: object, *, first: Problem) -> tuple[Problem, ...]:
        found = [
            problem
            for error in self._validator.iter_errors(_with_plain_floats(raw))
            for problem in _problems_of(error)
        ]
        # Of a missing field msgspec names the object that lacks it, the validator the field.
        if not any(problem.path.startswith(first.path) for problem in found):
            found.append(first)
        return (*found, *_nul_characters(raw, ""))


def _decode_plain(body: bytes) -> object:
    try:
        raw: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise _not_json(fault) from None
    # Counted before it is measured: hardly any body has brackets enough to be too deep.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise InvalidRequest.because(
            [Problem("", "too_deep", f"must not be nested more than {MAX_DEPTH} deep")]
        )
    return raw


def _depth(raw: object) -> int:
    """Give how many lists and objects lie in each other; level by level, since the depth is in doubt."""
    depth, level = 0, [raw]
    while level:
        depth += 1
        containers = (item for item in level if isinstance(item, dict | list))
        level = [
            inside
            for container in containers
            for inside in (container.values() if isinstance(container, dict) else container)
            if isinstance(inside, dict | list)
        ]
    return depth


def _with_plain_floats(raw: object) -> object:
    """Make 1.0 a number that no schema takes for an integer: JSON Schema does, this contract does not."""
    match raw:
        case float() if raw.is_integer():
            return raw + 0.5 if abs(raw) < FIRST_WHOLE_FLOAT else 0.5
        case dict():
            return {name: _with_plain_floats(item) for name, item in raw.items()}
        case list():
            return [_with_plain_floats(item) for item in raw]
        case _:
            return raw


def _is_date(text: str) -> bool:
    try:
        msgspec.convert(text, date)
    except msgspec.ValidationError:
        return False
    return True


def _not_json(fault: Exception) -> InvalidRequest:
    return InvalidRequest.because([Problem("", "malformed_json", f"The body is not JSON: {fault}")])


def path_text(steps: Sequence[str | int]) -> str:
    """Write a path the way our problems do: `policy.quotes[2].aggregate_limit`."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _problems_of(error: Any) -> Iterator[Problem]:  # noqa: ANN401 - the library's errors are untyped
    path = path_text(error.instance_path)
    details = error.kind.as_dict()
    match error.kind.name:
        case "required":
            yield Problem(path_text([*error.instance_path, details["property"]]), "required", "is required")
        case "additionalProperties":
            for name in details["unexpected"]:
                yield Problem(path_text([*error.instance_path, name]), "unknown_field", "is not allowed here")
        case "anyOf":
            yield from _any_of(path, details["context"])
        case name:
            yield Problem(path, *_in_words(name, details))


def _any_of(path: str, context: list[list[Any]]) -> Iterator[Problem]:
    """Word a union's failure: by the branch of the right type where there is one, else by all types."""
    for branch in context:
        if branch and all(error.kind.name not in {"type", "enum"} for error in branch):
            for error in branch:
                yield from _problems_of(error)
            return
    types = dict.fromkeys(
        name for branch in context for error in branch for name in error.kind.as_dict().get("types", ())
    )
    yield Problem(path, "wrong_type", f"must be {_either(types)}")


_WORDS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], str]]]] = {
    "type": ("wrong_type", lambda details: f"must be {_either(details['types'])}"),
    "enum": ("not_allowed", lambda details: f"must be one of {', '.join(map(str, details['options']))}"),
    "minLength": ("too_short", lambda details: f"must have at least {_counted(details, 'character')}"),
    "maxLength": ("too_long", lambda details: f"must have at most {_counted(details, 'character')}"),
    "minItems": ("too_few_items", lambda details: f"must have at least {_counted(details, 'item')}"),
    "maxItems": ("too_many_items", lambda details: f"must have at most {_counted(details, 'item')}"),
    "maxProperties": ("too_many_items", lambda details: f"must have at most {_counted(details, 'field')}"),
    "uniqueItems": ("duplicate_items", lambda _: "must not repeat an item"),
    "minimum": ("out_of_range", lambda details: f"must be at least {details['limit']:,}"),
    "maximum": ("out_of_range", lambda details: f"must be at most {details['limit']:,}"),
    "pattern": ("wrong_format", lambda details: f"must match {details['pattern']}"),
    "format": ("wrong_format", lambda details: f"must be a {details['format']}, yyyy-mm-dd"),
}
"""The code and the message of each keyword that a body can break."""


def _in_words(keyword: str, details: dict[str, Any]) -> tuple[str, str]:
    code, message = _WORDS.get(keyword, ("invalid", lambda _: f"breaks the rule {keyword}"))
    return code, message(details)


def _counted(details: dict[str, Any], noun: str) -> str:
    limit = details["limit"]
    return f"{limit:,} {noun}" if limit == 1 else f"{limit:,} {noun}s"


_ARTICLES = {
    "array": "a list",
    "object": "an object",
    "integer": "a whole number",
    "boolean": "true or false",
}


def _either(types: Any) -> str:  # noqa: ANN401 - a list or a dict's keys
    words = [_ARTICLES.get(name, f"a {name}") if name != "null" else "null" for name in types]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _problem_of(fault: msgspec.ValidationError) -> Problem:
    """Word msgspec's own finding, for the case that the validator has none there."""
    message, _, where = str(fault).partition(" - at `")
    return Problem(where.removesuffix("`").removeprefix("$").removeprefix("."), "wrong_type", message)


def _nul_characters(value: object, path: str) -> Iterator[Problem]:
    """Find texts that hold U+0000, which no database column takes."""
    match value:
        case str():
            if "\x00" in value:
                yield Problem(path, "bad_character", "must not contain the character U+0000")
        case dict():
            for name, item in value.items():
                if "\x00" in name:
                    yield Problem(path, "bad_character", "must not contain the character U+0000 in a name")
                yield from _nul_characters(item, f"{path}.{name}" if path else str(name))
        case list():
            for number, item in enumerate(value):
                yield from _nul_characters(item, f"{path}[{number}]")
        case _:
            pass
