"""Which part of a file a request asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ONE_RANGE = re.compile(r"bytes=\s*(\d*)-(\d*)\s*", re.IGNORECASE)
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class WholeFile:
    """No range is asked for, or none that we serve: several at once, other units, one of an old version."""


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """The range lies outside the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `start` up to, not including, `end`."""

    start: int
    end: int


def asked_range(headers: Mapping[str, str], *, size: int, etag: str) -> WholeFile | Unsatisfiable | ByteRange:
    """Read `Range` and `If-Range`; what is malformed is ignored, as HTTP says."""
    condition = headers.get("if-range")
    found = _ONE_RANGE.fullmatch(headers.get("range", ""))
    if found is None or (condition is not None and condition.strip() != etag):
        return WholeFile()
    first, last = found[1][:_MOST_DIGITS], found[2][:_MOST_DIGITS]
    if not first and not last:
        return WholeFile()
    if not first:
        start, end = max(0, size - int(last)), size
        return ByteRange(start, end) if start < end else Unsatisfiable()
    start = int(first)
    if last and int(last) < start:
        return WholeFile()
    end = min(size, int(last) + 1) if last else size
    return ByteRange(start, end) if start < end else Unsatisfiable()
