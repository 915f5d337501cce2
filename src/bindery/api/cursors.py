"""Cursors of the lists: a place in the list, written so that nobody takes it for more than that."""

import base64
import binascii
import struct
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from bindery.api.call import Call
from bindery.base.errors import InvalidRequest, Problem
from bindery.storage.policy_list import PolicyPlace
from bindery.storage.quote_list import QuotePlace

Place = TypeVar("Place")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
LONGEST: Final = 36
SCHEMA: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[A-Za-z0-9_-]+$"}


class Cursors(Generic[Place]):
    """The cursors of one list: its letter, a moment, and what else tells a place from its neighbors."""

    def __init__(
        self,
        letter: bytes,
        form: str,
        take_apart: Callable[[Place], tuple[Any, ...]],
        put_together: Callable[..., Place],
    ) -> None:
        self._letter = letter
        self._packed = struct.Struct(f">cq{form}")
        self._take_apart = take_apart
        self._put_together = put_together

    def write(self, place: Place | None) -> str | None:
        """Write a place in the list; None where there is no page after it."""
        if place is None:
            return None
        at, *more = self._take_apart(place)
        packed = self._packed.pack(self._letter, (at - _EPOCH) // _MICROSECOND, *more)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def read(self, call: Call) -> Place | None:
        """Read the cursor of a request, if it has one.

        Raises:
            InvalidRequest: no page of this list gave it.
        """
        text = call.request.query_params.get("cursor")
        if text is None:
            return None
        with suppress(binascii.Error, struct.error, ValueError, OverflowError):
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            letter, micros, *more = self._packed.unpack(packed)
            if letter == self._letter and len(text) <= LONGEST:
                return self._put_together(_EPOCH + micros * _MICROSECOND, *more)
        raise InvalidRequest.because(
            [Problem("cursor", "bad_cursor", "is not a cursor from an earlier page")]
        )


QUOTES: Final = Cursors[QuotePlace](
    b"q",
    "16sH",
    lambda place: (place.at, place.submission_id.bytes, place.option),
    lambda at, submission, option: QuotePlace(at, uuid.UUID(bytes=submission), option),
)
POLICIES: Final = Cursors[PolicyPlace](
    b"p", "16s", lambda place: (place[0], place[1].bytes), lambda at, quote: (at, uuid.UUID(bytes=quote))
)
COMPANIES: Final = Cursors[tuple[datetime, int]](
    b"c", "I", lambda place: place, lambda at, company: (at, company)
)
