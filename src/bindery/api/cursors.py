"""Cursors of the lists: the key of a row, written so that nobody takes it for more than that."""

import base64
import binascii
import struct
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bindery.api.call import Call
from bindery.base.errors import InvalidRequest, Problem
from bindery.storage.list_pages import Cursor

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
LONGEST: Final = 36
SCHEMA: Final = {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[A-Za-z0-9_-]+$"}


class Cursors:
    """The cursors of one list: its letter, a moment, and ids and numbers as `struct` packs them."""

    def __init__(self, letter: bytes, form: str) -> None:
        self._letter = letter
        self._packed = struct.Struct(f">cq{form}")

    def write(self, key: tuple[Any, ...] | None) -> str | None:
        if key is None:
            return None
        at, *others = key
        parts = (part.bytes if isinstance(part, uuid.UUID) else part for part in others)
        packed = self._packed.pack(self._letter, (at - _EPOCH) // _MICROSECOND, *parts)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def read(self, call: Call) -> Cursor | None:
        text = call.request.query_params.get("cursor")
        if text is None:
            return None
        with suppress(binascii.Error, struct.error, ValueError, OverflowError):
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            letter, micros, *parts = self._packed.unpack(packed)
            if letter == self._letter and len(text) <= LONGEST:
                others = (uuid.UUID(bytes=part) if isinstance(part, bytes) else part for part in parts)
                return Cursor((_EPOCH + micros * _MICROSECOND, *others))
        raise InvalidRequest.because(
            [Problem("cursor", "bad_cursor", "is not a cursor from an earlier page")]
        )


QUOTES: Final = Cursors(b"q", "16sH")
POLICIES: Final = Cursors(b"p", "16s")
COMPANIES: Final = Cursors(b"c", "I")
