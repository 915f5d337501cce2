"""Which part of a file a request asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bindery.base.digits import read_digits

_ONE_RANGE = re.compile(r"bytes=\s*([0-9]*)-([0-9]*)\s*", re.IGNORECASE)


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
    first, last = read_digits(found[1]), read_digits(found[2])
    if first is None and last is None:
        return WholeFile()
    if first is None:
        start, end = max(0, size - (last or 0)), size
        return ByteRange(start, end) if start < end else Unsatisfiable()
    start = first
    if last is not None and last < start:
        return WholeFile()
    end = size if last is None else min(size, last + 1)
    return ByteRange(start, end) if start < end else Unsatisfiable()
