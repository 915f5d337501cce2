"""Decoding bodies: quickly when they are right, thoroughly when they are not.

msgspec stops at the first fault. When it finds one, the same schema is run over the body again by a validator
that reports them all; a right body pays nothing for that.

msgspec also passes over fields it does not know without looking inside. Since bodies are kept and shown again
as they were sent, every body is read as plain JSON too, at half the cost of the typed reading.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import jsonschema_rs
import msgspec

from bindery.api.body_fields import fields_of, knows_all, tidied, unknown_fields
from bindery.api.body_shape import Look
from bindery.api.body_words import problems_of
from bindery.api.json_text import read_float, read_json, repeated_keys
from bindery.base.errors import InvalidRequest, Problem

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
    """A body that is JSON but breaks the schema: what it says, and everything that is wrong with it."""

    raw: object
    problems: tuple[Problem, ...]
    unknown: tuple[Problem, ...]


class BodyDecoder(Generic[T]):
    """Decodes one type of body."""

    def __init__(self, body_type: type[T]) -> None:
        self._type = body_type
        self._fields = fields_of(body_type)
        self._decode = msgspec.json.Decoder(body_type, float_hook=read_float).decode

    def decode(self, body: bytes) -> WellFormed[T] | Malformed:
        """Decode, or report everything that is wrong.

        Raises:
            InvalidRequest: it is not JSON at all, or its shape is that of no request.
        """
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

    def require(self, body: bytes) -> WellFormed[T]:
        """Decode.

        Raises:
            InvalidRequest: anything is wrong with it.
        """
        decoded = self.decode(body)
        if isinstance(decoded, Malformed):
            raise InvalidRequest.because(decoded.problems)
        return decoded

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
    """Whether what msgspec found has been found by the others too, or lies in a list that is too long."""
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
