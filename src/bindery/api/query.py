"""Reading parameters of the query."""

from bindery.api.call import Call
from bindery.base.errors import InvalidRequest, Problem

LONGEST_CURSOR = 18


def whole_number(call: Call, name: str, *, unless_given: int, most: int) -> int:
    """Read a whole number from 1 to `most`.

    Raises:
        InvalidRequest: it is something else.
    """
    text = call.request.query_params.get(name)
    if text is None:
        return unless_given
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:9]) <= most:
        flaw = f"must be a whole number from 1 to {most:,}"
        raise InvalidRequest.because([Problem(name, "out_of_range", flaw)])
    return int(text)


def cursor(call: Call, name: str) -> int | None:
    """Read a cursor that an earlier page gave.

    Raises:
        InvalidRequest: no page gave it.
    """
    text = call.request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > LONGEST_CURSOR:
        raise InvalidRequest.because([Problem(name, "bad_cursor", "is not a cursor that a page gave")])
    return int(text)
