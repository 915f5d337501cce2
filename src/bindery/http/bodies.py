"""Decoding bodies: quickly when they are right, thoroughly when they are not.

msgspec stops at the first fault. When it finds one, the same schema is run over the body again by a validator
that reports them all; a right body pays nothing for that.

msgspec also passes over fields it does not know without looking inside. Since bodies are kept and shown again
as they were sent, every body is read as plain JSON too, at half the cost of the typed reading.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, Generic, NoReturn, TypeVar

import jsonschema_rs
import msgspec

from bindery.base.errors import InvalidRequest, Problem
from bindery.http.body_shape import (
    MAX_DEPTH,
    Look,
    check_count,
    check_depth,
    fields_of,
    knows_all,
    tidied,
    too_deep,
    unknown_fields,
)
from bindery.http.body_words import path_inside, problems_of

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Some programs write it in front of UTF-8. It says nothing."""

_ESCAPED_COLON: Final = rb"\u003"
"""How an escape begins that may stand for a colon; no other escape does."""
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def read_json(body: bytes) -> object:
    """Read a body as plain JSON; refuse one that is not, or holds more or deeper than any request does."""
    check_count(body)
    try:
        raw = _decode(body)
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise InvalidRequest.at("", "malformed_json", _flaw(body, fault)) from None
    # Counted before it is measured: hardly any body has brackets enough to be too deep.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        check_depth(raw)
    return raw


def repeated_keys(body: bytes, raw: object) -> list[Problem]:
    """Report every key that an object of the body has twice; `raw` is the body as it was read.

    Reading keeps the last of them. Outside texts a colon stands after each key and nowhere else, and a text
    is written with as many colons as it was sent with unless one of them was escaped. So a body that has no
    key twice is written again with as many colons, and one that has is written with fewer.
    """
    is_plain = b"\\" not in body or _ESCAPED_COLON not in body
    if is_plain and body.count(b":") == msgspec.json.encode(raw).count(b":"):
        return []
    # Numbers stay texts: nobody looks at them here, and reading long ones takes time.
    pairs = json.loads(body, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    return list(_repeated(pairs, ""))


class _Pairs(list[tuple[str, Any]]):
    """An object as it was sent; the class tells it from a list."""


def _repeated(value: object, path: str) -> Iterator[Problem]:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for name, item in value:
            inside = path_inside(path, name)
            if name in seen:
                yield Problem(inside, "duplicate_key", "must not be given twice in one object")
            seen.add(name)
            yield from _repeated(item, inside)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _repeated(item, path_inside(path, number))


def read_float(text: str) -> float:
    """Read a float as Python does: msgspec itself takes fifty times as long for one of many digits."""
    number = float(text)
    if math.isinf(number):
        raise ValueError("Number out of range")
    return number


_decode: Final = msgspec.json.Decoder(float_hook=read_float).decode


def _flaw(body: bytes, fault: Exception) -> str:
    """Return where and why a body is not JSON.

    The parser of the standard library is slower and knows the place better, so it runs once the body has been
    refused. It accepts halves of surrogate pairs and huge numbers, which are looked for afterwards.
    """
    if not body.strip():
        return "The body is empty"
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        return f"The body is not UTF-8 at byte {error.start:,}"
    if flaw := _malformed(text):
        return flaw
    half = next((escape.start() for escape in _ESCAPE.finditer(body) if escape["half"]), None)
    if half is not None:
        return f"The body is not JSON at byte {half:,}: the escape is half of a surrogate pair"
    if "out of range" in str(fault):
        return "The body holds a number that is too large"
    return "The body is not JSON"


def _malformed(text: str) -> str | None:
    try:
        json.loads(text, parse_constant=_refuse_constant, parse_int=str, parse_float=str)
    except json.JSONDecodeError as flaw:
        at = f"byte {len(text[: flaw.pos].encode()):,}"
        if not text[flaw.pos :].strip():
            return f"The body ends before its JSON does, at {at}"
        words = next(
            (words for said, words in _WORDS.items() if flaw.msg.startswith(said)), "it is malformed"
        )
        return f"The body is not JSON at {at}: {words}"
    except RecursionError:
        raise too_deep() from None
    except ValueError as flaw:
        return f"The body is not JSON: {flaw} is not a number there"
    return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_WORDS: Final = {
    "Expecting value": "a value is expected",
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected",
    "Expecting ':' delimiter": "a colon is expected",
    "Expecting ',' delimiter": "a comma or the end of the list or object is expected",
    "Illegal trailing comma before end of object": "a comma is followed by nothing",
    "Illegal trailing comma before end of array": "a comma is followed by nothing",
    "Extra data": "there is more after its end",
    "Unterminated string starting at": "the text that begins there has no end",
    "Invalid control character at": "a text must not hold a control character that is not escaped",
    "Invalid \\escape": 'a backslash must be followed by one of " \\ / b f n r t u',
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
}


T = TypeVar("T")
DELETE: Final = b"\x7f"
NULL: Final = b"null"


@dataclass(frozen=True, slots=True)
class WellFormed(Generic[T]):
    """A body that keeps the schema.

    `kept` is its JSON to keep and show again: as it was sent, but for nulls in place of optional fields and
    for whole numbers that were sent as floats. `unknown` names the fields that were passed over.
    """

    value: T
    kept: bytes
    unknown: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Malformed:
    raw: object
    problems: tuple[Problem, ...]
    unknown: tuple[Problem, ...]


class BodyDecoder(Generic[T]):
    def __init__(self, body_type: type[T]) -> None:
        self._type = body_type
        self._fields = fields_of(body_type)
        self._decode = msgspec.json.Decoder(body_type, float_hook=read_float).decode

    def decode(self, body: bytes) -> WellFormed[T] | Malformed:
        """Decode, or report everything wrong; raise `InvalidRequest` for what cannot be judged."""
        sent = raw = read_json(body)
        problems = repeated_keys(body, raw)
        value: T | None = None
        if NULL in body:
            raw = tidied(raw, self._fields)
        try:
            value = self._decode(body)
        except msgspec.ValidationError:
            raw = tidied(raw, self._fields)
            try:
                value = msgspec.convert(raw, self._type)
            except msgspec.ValidationError as fault:
                problems += self._all_problems(raw, first=_problem_of(fault))
        # JSON escapes the control characters of ASCII but one, so hardly any body needs a second look.
        if value is not None and (not body.isascii() or b"\\" in body or DELETE in body):
            problems += Look(raw, self._schema).problems
        if value is None or problems:
            return Malformed(raw, tuple(problems), unknown_fields(raw, self._fields))
        assert isinstance(raw, dict), "a well-formed body is an object"
        unknown = () if knows_all(raw, self._fields) else unknown_fields(raw, self._fields)
        return WellFormed(value, body if raw is sent else msgspec.json.encode(raw), unknown)

    @cached_property
    def _schema(self) -> dict[str, Any]:
        (schema,), definitions = msgspec.json.schema_components([self._type], ref_template="#/$defs/{name}")
        return {**schema, "$defs": definitions}

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator(
            self._schema, validate_formats=True, formats={"date": _is_date}
        )

    def _all_problems(self, raw: object, *, first: Problem) -> tuple[Problem, ...]:
        look = Look(raw, self._schema)
        found = [
            problem
            for error in self._validator.iter_errors(look.judged)
            for problem in problems_of(error)
            if problem.path not in look.overlong
        ]
        found += look.problems
        if not _is_among(first, found, overlong=look.overlong):
            found.append(first)
        return tuple(found)


def _is_among(first: Problem, found: Iterable[Problem], *, overlong: Iterable[str]) -> bool:
    """Whether the validator found msgspec's problem too, or it lies in a list that is too long."""
    # Of a missing field msgspec names the object that lacks it, the validator the field.
    return any(problem.path.startswith(first.path) for problem in found) or any(
        first.path.startswith(f"{path}[") for path in overlong
    )


def _is_date(text: str) -> bool:
    try:
        msgspec.convert(text, date)
    except msgspec.ValidationError:
        return False
    return True


def _problem_of(fault: msgspec.ValidationError) -> Problem:
    """Word msgspec's own finding, for the case that the validator has none there."""
    message, _, where = str(fault).partition(" - at `")
    return Problem(where.removesuffix("`").removeprefix("$").removeprefix("."), "wrong_type", message)
