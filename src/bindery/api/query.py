"""Reading parameters of the query."""

from bindery.api.call import Call
from bindery.base.digits import ENDLESS, read_digits
from bindery.base.errors import InvalidRequest, Problem


def whole_number(call: Call, name: str, *, unless_given: int, most: int) -> int:
    text = call.request.query_params.get(name)
    if text is None:
        return unless_given
    number = _plain_number(text)
    if number is None or not 1 <= number <= most:
        flaw = f"must be a whole number from 1 to {most:,}"
        raise InvalidRequest.because([Problem(name, "out_of_range", flaw)])
    return number


def cursor(call: Call, name: str) -> int | None:
    text = call.request.query_params.get(name)
    if text is None:
        return None
    number = _plain_number(text)
    if number is None or number >= ENDLESS:
        raise InvalidRequest.because([Problem(name, "bad_cursor", "is not a cursor from an earlier page")])
    return number


def _plain_number(text: str) -> int | None:
    """Read a number as we write it ourselves: without leading zeros."""
    number = read_digits(text)
    return number if str(number) == text else None
