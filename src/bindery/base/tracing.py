"""Traces: what a request sets off, from the process that takes it to the webhook that tells of it.

Nothing is traced, and a span costs next to nothing, until `switch_on`. What a span may say of itself is a
closed list of facts: ids of our own, counts and words of closed lists. Answers, names and secrets have no
place in it.
"""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from enum import IntEnum
from types import MappingProxyType, TracebackType
from typing import Protocol, Self, TypedDict, Unpack


class SpanKind(IntEnum):
    """The numbers are OpenTelemetry's: internal, server, client, consumer."""

    INSIDE = 1
    REQUEST = 2
    CALL = 3
    JOB = 5


class SpanFacts(TypedDict, total=False):
    """Everything that a span may say; the words are names of operations, jobs, events and documents."""

    method: str
    operation: str
    status: int
    job: int
    attempt: int
    options: int
    together: int
    submission: uuid.UUID
    delivery: int
    webhook: uuid.UUID
    document: str


class TraceSpan(AbstractContextManager["TraceSpan"], Protocol):
    """A part of a trace while it lasts. A fault that leaves the block is noted by its type alone."""

    @property
    def traceparent(self) -> str:
        """What those who go on with the trace are given, as W3C Trace Context writes it; empty while off."""

    def rename(self, name: str) -> None: ...

    def add(self, **facts: Unpack[SpanFacts]) -> None: ...

    def note_fault(self, kind: str) -> None: ...


class Tracing(Protocol):
    def span(self, name: str, kind: SpanKind, parent: str | None, facts: SpanFacts) -> TraceSpan: ...

    def add(self, name: str, *, began: float, seconds: float) -> None: ...

    def going_on(self, traceparent: str | None) -> AbstractContextManager[None]: ...

    def current(self) -> str | None: ...

    def current_id(self) -> str | None: ...


class _NoSpan:
    traceparent = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def rename(self, name: str) -> None: ...

    def add(self, **facts: Unpack[SpanFacts]) -> None: ...

    def note_fault(self, kind: str) -> None: ...


_NO_SPAN = _NoSpan()
_tracing: Tracing | None = None
_of_each: ContextVar[Mapping[uuid.UUID, str | None]] = ContextVar(
    "traces_of_each", default=MappingProxyType({})
)


def switch_on(tracing: Tracing) -> None:
    global _tracing  # noqa: PLW0603 - one for each process, as its log
    _tracing = tracing


def switch_off() -> None:
    global _tracing  # noqa: PLW0603 - as above
    _tracing = None


def is_on() -> bool:
    return _tracing is not None


def span(
    name: str, *, kind: SpanKind = SpanKind.INSIDE, parent: str | None = None, **facts: Unpack[SpanFacts]
) -> TraceSpan:
    """Return a part of the trace that is under way, or of that of `parent`; it lasts as long as its block."""
    return _NO_SPAN if _tracing is None else _tracing.span(name, kind, parent, facts)


def add_span(name: str, *, began: float, seconds: float) -> None:
    """Add a part that was measured with `time.perf_counter()`."""
    if _tracing is not None:
        _tracing.add(name, began=began, seconds=seconds)


def current_trace() -> str | None:
    """Return where the trace that is under way stands, for what goes on with it in another process."""
    return None if _tracing is None else _tracing.current()


def current_trace_id() -> str | None:
    """Return the id of the trace that is under way."""
    return None if _tracing is None else _tracing.current_id()


@contextmanager
def going_on_with(traceparent: str | None) -> Iterator[None]:
    """Work for the caller of that trace, or for none: a batch's task is not only of its first caller."""
    if _tracing is None:
        yield
        return
    with _tracing.going_on(traceparent):
        yield


@contextmanager
def traces_of_each(traces: Mapping[uuid.UUID, str | None]) -> Iterator[None]:
    """Set the trace that the events of each quote belong to, where one transaction works for several."""
    token = _of_each.set(traces)
    try:
        yield
    finally:
        _of_each.reset(token)


def trace_of(subject: uuid.UUID) -> str | None:
    """Return the trace that the events of a quote belong to."""
    return _of_each.get().get(subject) or current_trace()
