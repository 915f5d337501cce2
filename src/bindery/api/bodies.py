"""Decoding bodies: quickly when they are right, thoroughly when they are not.

msgspec stops at the first fault. When it finds one, the same schema is run over the body again by a validator
that reports them all; a right body pays nothing for that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import jsonschema_rs
import msgspec

from bindery.base.errors import InvalidRequest, Problem

T = TypeVar("T")
NUL_ESCAPE = b"\\u0000"


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
        try:
            decoded = self._decode(body)
        except msgspec.ValidationError as fault:
            raw = _decode_plain(body)
            return Malformed(raw, tuple(self._all_problems(raw)) or (_problem_of(fault),))
        except (msgspec.DecodeError, RecursionError) as fault:
            raise _not_json(fault) from None
        if NUL_ESCAPE in body and (nul := tuple(_nul_characters(msgspec.json.decode(body), ""))):
            return Malformed(msgspec.json.decode(body), nul)
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
        return jsonschema_rs.Draft202012Validator({**schema, "$defs": definitions}, validate_formats=True)

    def _all_problems(self, raw: object) -> Iterator[Problem]:
        for error in self._validator.iter_errors(raw):
            yield from _problems_of(error)
        yield from _nul_characters(raw, "")


def _decode_plain(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as fault:
        # msgspec may meet a wrong type before it meets broken JSON.
        raise _not_json(fault) from None


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
    """Word msgspec's own finding where the validator has none: to it, 1.0 is an integer."""
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
