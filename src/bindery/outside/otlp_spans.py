"""Spans as OTLP writes them in protobuf, put together by hand: message classes take many times as long.

Only what our spans say is written. The numbers are those of the fields in opentelemetry-proto.
"""

import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from bindery.base.tracing import SpanKind

WORDS_KEPT: Final = 4_096
FEW_VALUES: Final = frozenset({"method", "operation", "status", "attempt", "options", "together", "document"})
"""Facts that say the same again and again: how spans with no other facts are written is kept."""
_NAMES: Final = {"method": "http.request.method", "status": "http.response.status_code"}
_TIMES: Final = struct.Struct("<BQBQ")
_STARTED: Final = 0x39
_ENDED: Final = 0x41
_TRACE_ID: Final = b"\x0a\x10"
_SPAN_ID: Final = b"\x12\x08"
_ABOVE_ID: Final = b"\x22\x08"
_LENGTH_OF_IDS: Final = 2 + 16 + 2 + 8
_LENGTH_OF_ID_ABOVE: Final = 2 + 8
_ABOVE_IS_LOCAL: Final = b"\x85\x01\x00\x01\x00\x00"
_ABOVE_IS_REMOTE: Final = b"\x85\x01\x00\x03\x00\x00"
_ONE_BYTE: Final = 0x80
_TWO_BYTES: Final = 0x4000
_SMALL: Final = tuple(bytes((number,)) for number in range(_ONE_BYTE))


class TracePlace(NamedTuple):
    """Where a trace stands: at a span, under which others begin."""

    trace_id: bytes
    span_id: bytes
    is_sampled: bool
    is_remote: bool = False


def written_span(
    place: TracePlace,
    above: TracePlace | None,
    name: str,
    kind: SpanKind,
    began_ns: int,
    ended_ns: int,
    facts: Mapping[str, object],
    fault: str | None,
) -> bytes:
    """Return a span as an element of the list of spans that a request carries.

    All but its ids and times is kept where it says only what others say again and again.
    """
    write = _kept_frame if FEW_VALUES.issuperset(facts) else _frame
    is_remote = above is not None and above.is_remote
    start, middle, end = write(name, kind, tuple(facts.items()), fault, above is not None, is_remote)
    times = _TIMES.pack(_STARTED, began_ns, _ENDED, ended_ns)
    if above is None:
        return b"".join((start, place.trace_id, _SPAN_ID, place.span_id, middle, times, end))
    return b"".join(
        (start, place.trace_id, _SPAN_ID, place.span_id, _ABOVE_ID, above.span_id, middle, times, end)
    )


def _frame(
    name: str,
    kind: SpanKind,
    facts: tuple[tuple[str, object], ...],
    fault: str | None,
    is_below: bool,
    is_remote: bool,
) -> tuple[bytes, bytes, bytes]:
    """Return what stands in front of a span's ids, between them and its times, and behind those."""
    middle = _text(b"\x2a", name) + b"\x30" + _number(kind)
    said = [_fact(fact, value) for fact, value in facts]
    if fault is not None:
        said.append(_field(b"\x7a", _text(b"\x12", fault) + b"\x18\x02"))
    said.append(_ABOVE_IS_REMOTE if is_remote else _ABOVE_IS_LOCAL)
    end = b"".join(said)
    ids = _LENGTH_OF_IDS + (_LENGTH_OF_ID_ABOVE if is_below else 0)
    length = ids + len(middle) + _TIMES.size + len(end)
    return b"\x12" + _number(length) + _TRACE_ID, middle, end


_kept_frame: Final = lru_cache(WORDS_KEPT)(_frame)


class Envelope:
    """A request to a collector around spans of one process."""

    def __init__(self, resource: Mapping[str, str], scope: str) -> None:
        pairs = b"".join(_field(b"\x0a", _pair(name, value)) for name, value in resource.items())
        self._resource = _field(b"\x0a", pairs)
        self._scope = _field(b"\x0a", _text(b"\x0a", scope))

    def around(self, spans: Iterable[bytes]) -> bytes:
        return _field(b"\x0a", self._resource + _field(b"\x12", self._scope + b"".join(spans)))


def _fact(name: str, value: object) -> bytes:
    return _field(b"\x4a", _pair(_NAMES.get(name) or f"bindery.{name}", value))


def _pair(name: str, value: object) -> bytes:
    said = b"\x18" + _number(value) if isinstance(value, int) else _text(b"\x0a", str(value))
    return _text(b"\x0a", name) + _field(b"\x12", said)


def _text(tag: bytes, text: str) -> bytes:
    return _field(tag, text.encode())


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + _number(len(content)) + content


def _number(value: int) -> bytes:
    """Write a number that is not negative, seven bits a byte, the lowest first."""
    if value < _ONE_BYTE:
        return _SMALL[value]
    if value < _TWO_BYTES:
        return bytes((value & 0x7F | _ONE_BYTE, value >> 7))
    return bytes((value & 0x7F | _ONE_BYTE,)) + _number(value >> 7)
