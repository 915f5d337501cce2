"""Reading bytes as JSON, and explaining in plain words why they are not."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import msgspec

from bindery.api.body_shape import MAX_DEPTH, check_count, check_depth, too_deep
from bindery.api.body_words import path_inside
from bindery.base.errors import InvalidRequest, Problem

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Some programs write it in front of UTF-8. It says nothing."""

_ESCAPED_COLON: Final = rb"\u003"
"""How an escape begins that may stand for a colon; no other escape does."""
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def read_json(body: bytes) -> object:
    """Read a body as plain JSON.

    Raises:
        InvalidRequest: it is not JSON, or holds more or deeper than any request does.
    """
    check_count(body)
    try:
        raw = _decode(body)
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise InvalidRequest.because([Problem("", "malformed_json", _flaw(body, fault))]) from None
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
    """An object as it was sent, told from a list by its class."""


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

    The parser of the standard library is slower and knows the place better; it is asked once the body has
    been refused. What it takes and we do not is looked for by itself.
    """
    if not body.strip():
        return "The body is empty"
    try:
        text = body.decode()
    except UnicodeDecodeError as flaw:
        return f"The body is not UTF-8 at byte {flaw.start:,}"
    return _malformed(text) or _beyond_the_library(body, fault)


def _beyond_the_library(body: bytes, fault: Exception) -> str:
    half = next((escape.start() for escape in _ESCAPE.finditer(body) if escape["half"]), None)
    if half is not None:
        return f"The body is not JSON at byte {half:,}: the escape is half of a surrogate pair"
    if "out of range" in str(fault):
        return "The body holds a number that is too large"
    return "The body is not JSON"


def _malformed(text: str) -> str | None:
    """Return what the standard library finds wrong with JSON, in our words."""
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
"""The standard library's findings in our words, by how they begin."""
