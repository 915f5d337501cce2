"""Decoding bodies: quickly when they are right, thoroughly when they are not.

msgspec stops at the first fault. When it finds one, the same schema is run over the body again by a validator
that reports them all; a right body pays nothing for that.

msgspec also passes over fields it does not know without looking inside. Since bodies are kept and shown again
as they were sent, every body is read as plain JSON too, at half the cost of the typed reading.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import jsonschema_rs
import msgspec

from bindery.api.body_shape import MAX_DEPTH, Look, check_count, check_depth
from bindery.api.body_words import problems_of
from bindery.base.errors import InvalidRequest, Problem

T = TypeVar("T")
DELETE: Final = b"\x7f"


@dataclass(frozen=True, slots=True)
class Malformed:
    """A body that is JSON but breaks the schema: what it says, and everything that is wrong with it."""

    raw: object
    problems: tuple[Problem, ...]


class BodyDecoder(Generic[T]):
    """Decodes one type of body."""

    def __init__(self, body_type: type[T]) -> None:
        self._type = body_type
        self._decode = msgspec.json.Decoder(body_type, float_hook=_read_float).decode

    def decode(self, body: bytes) -> T | Malformed:
        """Decode, or say everything that is wrong.

        Raises:
            InvalidRequest: it is not JSON at all, or its shape is that of no request.
        """
        raw = _decode_plain(body)
        try:
            decoded = self._decode(body)
        except msgspec.ValidationError as fault:
            return Malformed(raw, self._all_problems(raw, first=_problem_of(fault)))
        # JSON escapes the control characters of ASCII but one, so hardly any body needs a second look.
        if not body.isascii() or b"\\" in body or DELETE in body:
            look = Look(raw, self._schema)
            if look.problems:
                return Malformed(raw, tuple(look.problems))
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


def _decode_plain(body: bytes) -> object:
    check_count(body)
    try:
        raw = _plain_decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise InvalidRequest.because(
            [Problem("", "malformed_json", f"The body is not JSON: {fault}")]
        ) from None
    # Counted before it is measured: hardly any body has brackets enough to be too deep.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        check_depth(raw)
    return raw


def _read_float(text: str) -> float:
    """Read a float as Python does: msgspec itself takes fifty times as long for one of many digits."""
    number = float(text)
    if math.isinf(number):
        raise ValueError("Number out of range")
    return number


_plain_decode: Final = msgspec.json.Decoder(float_hook=_read_float).decode


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
