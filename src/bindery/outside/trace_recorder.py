"""Spans while they last: the trace that each belongs to, when it began, and what it says."""

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Self, TypeAlias, Unpack

from bindery.base.clock import Clock
from bindery.base.tracing import SpanFacts, SpanKind, TraceSpan
from bindery.outside.otlp_spans import TracePlace, written_span

Sampling: TypeAlias = Callable[[TracePlace | None, bytes, str], bool]
"""Whether a span is sent, by what it begins under, the id of its trace and its name."""

MOST_READ: Final = 512
_TRACEPARENT: Final = re.compile(
    r"[ \t]*([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*|[ \t]*)", re.ASCII
)
_FIRST_VERSION: Final = "00"
_NO_VERSION: Final = "ff"
_SAMPLED: Final = 1

_under_way: ContextVar[TracePlace | None] = ContextVar("trace_under_way", default=None)


class TraceRecorder:
    """Makes the spans of a process, and hands on those that are sampled as they end, written.

    They are measured by the counter that only goes forward. `set_clock` says again what time that is: whoever
    sends spans calls it now and then, since the machine's clock may be set.
    """

    def __init__(self, is_sampled: Sampling, keep: Callable[[bytes], None]) -> None:
        self._is_sampled = is_sampled
        self._keep = keep
        # Seeded anew in each process, since each makes a recorder of its own.
        self._random_bits = random.Random().getrandbits  # noqa: S311 - ids, and no secrets
        self.set_clock()

    def set_clock(self) -> None:
        self._ahead_ns = round(Clock.real_now().timestamp() * 1e6) * 1000 - time.perf_counter_ns()

    def span(self, name: str, kind: SpanKind, parent: str | None, facts: SpanFacts) -> TraceSpan:
        above = _under_way.get() if parent is None else read_traceparent(parent)
        return _Span(self, name, kind, facts, above, self._place_under(above, name))

    def add(self, name: str, *, began: float, seconds: float) -> None:
        above = _under_way.get()
        began_ns = int(began * 1e9)
        place = self._place_under(above, name)
        self.end(place, above, name, SpanKind.INSIDE, began_ns, began_ns + int(seconds * 1e9), {}, None)

    @contextmanager
    def going_on(self, traceparent: str | None) -> Iterator[None]:
        token = _under_way.set(None if traceparent is None else read_traceparent(traceparent))
        try:
            yield
        finally:
            _under_way.reset(token)

    def current(self) -> str | None:
        place = _under_way.get()
        return None if place is None else _traceparent(place)

    def current_id(self) -> str | None:
        place = _under_way.get()
        return None if place is None else place.trace_id.hex()

    def end(
        self,
        place: TracePlace,
        above: TracePlace | None,
        name: str,
        kind: SpanKind,
        began_ns: int,
        ended_ns: int,
        facts: SpanFacts,
        fault: str | None,
    ) -> None:
        if place.is_sampled:
            ahead_ns = self._ahead_ns
            self._keep(
                written_span(place, above, name, kind, began_ns + ahead_ns, ended_ns + ahead_ns, facts, fault)
            )

    def _place_under(self, above: TracePlace | None, name: str) -> TracePlace:
        if above is not None:
            span_id = self._random_bits(64).to_bytes(8)
            return TracePlace(above.trace_id, span_id, self._is_sampled(above, above.trace_id, name))
        ids = self._random_bits(192).to_bytes(24)
        return TracePlace(ids[:16], ids[16:], self._is_sampled(None, ids[:16], name))


class _Span:
    __slots__ = ("_above", "_began_ns", "_facts", "_fault", "_kind", "_name", "_place", "_recorder", "_token")

    def __init__(
        self,
        recorder: TraceRecorder,
        name: str,
        kind: SpanKind,
        facts: SpanFacts,
        above: TracePlace | None,
        place: TracePlace,
    ) -> None:
        self._recorder = recorder
        self._name = name
        self._kind = kind
        self._facts = facts
        self._above = above
        self._place = place
        self._fault: str | None = None

    @property
    def traceparent(self) -> str:
        return _traceparent(self._place)

    def __enter__(self) -> Self:
        self._began_ns = time.perf_counter_ns()
        self._token = _under_way.set(self._place)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, origin: TracebackType | None, /
    ) -> None:
        _under_way.reset(self._token)
        if kind is not None:
            # Its words may quote what somebody sent.
            self._fault = kind.__name__
        self._recorder.end(
            self._place,
            self._above,
            self._name,
            self._kind,
            self._began_ns,
            time.perf_counter_ns(),
            self._facts,
            self._fault,
        )

    def rename(self, name: str) -> None:
        self._name = name

    def add(self, **facts: Unpack[SpanFacts]) -> None:
        self._facts |= facts

    def note_fault(self, kind: str) -> None:
        self._fault = kind


def read_traceparent(text: str) -> TracePlace | None:
    """Return where a caller's trace stands; None where the header is not valid, and a new trace begins."""
    found = _TRACEPARENT.fullmatch(text) if text and len(text) <= MOST_READ else None
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == _NO_VERSION or (version == _FIRST_VERSION and more.startswith("-")):
        return None
    if not int(trace_id, 16) or not int(span_id, 16):
        return None
    is_sampled = bool(int(flags, 16) & _SAMPLED)
    return TracePlace(bytes.fromhex(trace_id), bytes.fromhex(span_id), is_sampled, is_remote=True)


def _traceparent(place: TracePlace) -> str:
    return f"00-{place.trace_id.hex()}-{place.span_id.hex()}-{'01' if place.is_sampled else '00'}"
