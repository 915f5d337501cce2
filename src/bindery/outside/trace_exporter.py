"""Spans through OpenTelemetry, sent to the operator's collector as OTLP over HTTP.

Imported only where tracing is on: with what it brings along it takes half a second and some 20 MB.
"""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self, Unpack
from urllib.parse import urlsplit

import structlog
from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from bindery.base.clock import Clock
from bindery.base.tracing import SpanFacts, SpanKind, TraceSpan

CLOSES_WITHIN_S: Final = 3.0
"""How long a process that stops waits for its last spans to be taken."""
_KINDS: Final = {
    SpanKind.INSIDE: trace.SpanKind.INTERNAL,
    SpanKind.REQUEST: trace.SpanKind.SERVER,
    SpanKind.JOB: trace.SpanKind.CONSUMER,
    SpanKind.CALL: trace.SpanKind.CLIENT,
}
_NAMES: Final = {"method": "http.request.method", "status": "http.response.status_code"}
_read = TraceContextTextMapPropagator().extract
_ROOT: Final = contexts.Context()

log = structlog.get_logger()


class TraceExporter:
    """Makes the spans of a process and sends them from a thread of its own.

    What the collector does not take is tried again for a while and then lost; the process notices nothing of
    it. The thread has to be born in the process that uses it: after a fork, not before.
    """

    def __init__(self, process: str, version: str) -> None:
        ours = Resource({SERVICE_NAME: "bindery", "service.version": version, "bindery.process": process})
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win; nothing else of the machine is sent.
        self._provider = TracerProvider(
            resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False
        )
        self._provider.add_span_processor(BatchSpanProcessor(_Reporting(OTLPSpanExporter())))
        self._tracer = self._provider.get_tracer("bindery")

    def close(self) -> None:
        """Send what is left, for a few seconds; a thread that waits longer ends with the process."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        closing.join(CLOSES_WITHIN_S)

    def span(self, name: str, kind: SpanKind, parent: str | None, facts: SpanFacts) -> TraceSpan:
        context = contexts.get_current() if parent is None else _read({"traceparent": parent}, _ROOT)
        made = self._tracer.start_span(
            name,
            context,
            _KINDS[kind],
            _attributes(facts),
            record_exception=False,
            set_status_on_exception=False,
        )
        return _Span(made)

    def add(self, name: str, *, began: float, seconds: float) -> None:
        ago_s = time.perf_counter() - began
        start = int((Clock.real_now().timestamp() - ago_s) * 1e9)
        made = self._tracer.start_span(name, start_time=start)
        made.end(start + int(seconds * 1e9))

    @contextmanager
    def going_on(self, traceparent: str | None) -> Iterator[None]:
        token = contexts.attach(_ROOT if traceparent is None else _read({"traceparent": traceparent}, _ROOT))
        try:
            yield
        finally:
            contexts.detach(token)

    def current(self) -> str | None:
        found = trace.get_current_span().get_span_context()
        return _written(found) if found.is_valid else None


class _Span:
    __slots__ = ("_made", "_token", "trace_id", "traceparent")

    def __init__(self, made: trace.Span) -> None:
        self._made = made
        found = made.get_span_context()
        self.trace_id = f"{found.trace_id:032x}"
        self.traceparent = _written(found)

    def __enter__(self) -> Self:
        self._token = contexts.attach(trace.set_span_in_context(self._made))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, origin: TracebackType | None, /
    ) -> None:
        contexts.detach(self._token)
        if kind is not None:
            # Its words may quote what somebody sent.
            self.note_fault(kind.__name__)
        self._made.end()

    def rename(self, name: str) -> None:
        self._made.update_name(name)

    def add(self, **facts: Unpack[SpanFacts]) -> None:
        self._made.set_attributes(_attributes(facts))

    def note_fault(self, kind: str) -> None:
        self._made.set_status(Status(StatusCode.ERROR, kind))


def _attributes(facts: SpanFacts) -> dict[str, str | int]:
    return {
        _NAMES.get(name) or f"bindery.{name}": value if isinstance(value, int) else str(value)
        for name, value in facts.items()
    }


def _written(found: trace.SpanContext) -> str:
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"


class _Reporting:
    """Says once that spans are not taken, and once that they are again; the library says it each time."""

    def __init__(self, exporter: OTLPSpanExporter) -> None:
        self._exporter = exporter
        self._lost = 0
        self._said = _FirstSaid()
        exporting = logging.getLogger("opentelemetry.exporter")
        exporting.propagate = False
        exporting.handlers = [self._said]
        # It would warn of each span that a full queue has no room for, in the task that made it.
        logging.getLogger("opentelemetry.sdk").setLevel(logging.ERROR)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._said.text = ""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            if self._lost:
                log.info("traces_exported_again", lost=self._lost)
            self._lost = 0
        else:
            if not self._lost:
                # The address without what may stand in front of it or behind: a password, a key.
                host = urlsplit(self._exporter._endpoint).netloc.rpartition("@")[2]  # noqa: SLF001 - see above
                log.warning("traces_not_exported", collector=host, reason=self._said.text)
            self._lost += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


class _FirstSaid(logging.Handler):
    """Keeps the library's first complaint of a batch: those after it only say that there were several."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = self.text or record.getMessage()[:300]
