"""Cursors of the lists: a place in the list, written so that nobody takes it for more than that."""

import base64
import binascii
import struct
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bindery.api.call import Call
from bindery.base.errors import InvalidRequest, Problem
from bindery.storage.policy_list import PolicyPlace
from bindery.storage.quote_list import QuotePlace

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_QUOTE: Final = struct.Struct(">cq16sH")
_POLICY: Final = struct.Struct(">cq16s")
_COMPANY: Final = struct.Struct(">cqI")
LONGEST: Final = 36
SCHEMA: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[A-Za-z0-9_-]+$"}


def quote_cursor(place: QuotePlace) -> str:
    """Write a place in the list of quotes."""
    return _written(_QUOTE.pack(b"q", _micros(place.at), place.submission_id.bytes, place.option))


def policy_cursor(place: PolicyPlace) -> str:
    """Write a place in the list of policies."""
    return _written(_POLICY.pack(b"p", _micros(place[0]), place[1].bytes))


def company_cursor(place: tuple[datetime, int]) -> str:
    """Write a place in the list of companies."""
    return _written(_COMPANY.pack(b"c", _micros(place[0]), place[1]))


def read_quote_cursor(call: Call) -> QuotePlace | None:
    """Read the cursor that a page of quotes gave.

    Raises:
        InvalidRequest: no page of quotes gave it.
    """
    found = _read(call, _QUOTE, b"q")
    return None if found is None else QuotePlace(_moment(found[1]), uuid.UUID(bytes=found[2]), found[3])


def read_policy_cursor(call: Call) -> PolicyPlace | None:
    """Read the cursor that a page of policies gave.

    Raises:
        InvalidRequest: no page of policies gave it.
    """
    found = _read(call, _POLICY, b"p")
    return None if found is None else (_moment(found[1]), uuid.UUID(bytes=found[2]))


def read_company_cursor(call: Call) -> tuple[datetime, int] | None:
    """Read the cursor that a page of companies gave.

    Raises:
        InvalidRequest: no page of companies gave it.
    """
    found = _read(call, _COMPANY, b"c")
    return None if found is None else (_moment(found[1]), found[2])


def _read(call: Call, shape: struct.Struct, kind: bytes) -> tuple[Any, ...] | None:
    text = call.request.query_params.get("cursor")
    if text is None:
        return None
    try:
        found: tuple[Any, ...] = shape.unpack(
            base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        )
        _moment(found[1])
    except (binascii.Error, struct.error, ValueError, OverflowError):
        found = (b"",)
    if found[0] != kind or len(text) > LONGEST:
        raise InvalidRequest.because([Problem("cursor", "bad_cursor", "is not a cursor that a page gave")])
    return found


def _written(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
