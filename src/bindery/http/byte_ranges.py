"""Which part of a file a request asks for."""

import re
from collections.abc import Mapping

from bindery.base.digits import read_digits
from bindery.http.errors import RangeNotSatisfiable

_ONE_RANGE = re.compile(r"bytes=\s*([0-9]*)-([0-9]*)\s*", re.IGNORECASE)


def asked_range(headers: Mapping[str, str], *, size: int, etag: str) -> range | None:
    """Read `Range` and `If-Range`: the places of the bytes asked for, or None for the whole file.

    What we do not serve is ignored, as HTTP says: several ranges at once, other units, a range of an old
    version, and what is malformed.

    Raises:
        RangeNotSatisfiable: the range is outside the file.
    """
    condition = headers.get("if-range")
    found = _ONE_RANGE.fullmatch(headers.get("range", ""))
    if found is None or (condition is not None and condition.strip() != etag):
        return None
    first, last = read_digits(found[1]), read_digits(found[2])
    if first is None:
        if last is None:
            return None
        asked = range(max(0, size - last), size)
    elif last is None:
        asked = range(first, size)
    elif last < first:
        return None
    else:
        asked = range(first, min(size, last + 1))
    if not asked:
        raise RangeNotSatisfiable(size)
    return asked
