"""Where spans go: to the operator's collector, as OTLP over HTTP, by OpenTelemetry's own sender.

Imported only where tracing is on: with what it brings along it takes half a second and some 20 MB. Spans are
made, written and gathered by ourselves: the library takes ten times as long for each.
"""

import logging
import os
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, DEFAULT_ON, ParentBased, Sampler

from bindery.outside.otlp_spans import Envelope, TracePlace
from bindery.outside.span_batches import SpanBatches
from bindery.outside.trace_recorder import Sampling, TraceRecorder

CLOSES_WITHIN_S: Final = 3.0
"""How long a process that stops waits for its last spans to be taken."""
SCOPE: Final = "bindery"
_ROOT: Final = Context()

log = structlog.get_logger()


class TraceExporter:
    """Sends the spans of a process as the standard variables say.

    What the collector does not take is tried again for a while and then lost; the process notices nothing of
    it.
    """

    def __init__(self, process: str, version: str) -> None:
        ours = Resource({SERVICE_NAME: "bindery", "service.version": version, "bindery.process": process})
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win; nothing else of the machine is sent.
        resource = ours.merge(OTELResourceDetector().detect())
        self._sender = _Sender(OTLPSpanExporter(), Envelope(resource.attributes, SCOPE))
        self._batches = SpanBatches(self._send, os.environ)
        sampler = TracerProvider(resource=resource, shutdown_on_exit=False).sampler
        self.recorder = TraceRecorder(_sampling(sampler), self._batches.add)

    def close(self) -> None:
        """Send what is left, for a few seconds; a thread that waits longer ends with the process."""
        self._batches.close(within_s=CLOSES_WITHIN_S)
        self._sender.close()

    def _send(self, spans: Sequence[bytes]) -> None:
        self.recorder.set_clock()
        self._sender.send(spans)


def _sampling(sampler: Sampler) -> Sampling:
    follows = isinstance(sampler, ParentBased)
    takes_all = sampler in {ALWAYS_ON, DEFAULT_ON}

    def is_sampled(above: TracePlace | None, trace_id: bytes, name: str) -> bool:
        if follows and above is not None:
            return above.is_sampled
        return takes_all or sampler.should_sample(_ROOT, int.from_bytes(trace_id), name).decision.is_sampled()

    return is_sampled


class _Sender:
    """Says once that spans are not taken, and once that they are again; the library says it each time."""

    def __init__(self, exporter: OTLPSpanExporter, envelope: Envelope) -> None:
        self._exporter = exporter
        self._envelope = envelope
        self._lost = 0
        self._said = _FirstSaid()
        exporting = logging.getLogger("opentelemetry.exporter")
        exporting.propagate = False
        exporting.handlers = [self._said]

    def send(self, spans: Sequence[bytes]) -> None:
        self._said.text = ""
        # Where the library sends what it has encoded: addresses, headers, compression, limits and tries.
        is_taken = self._exporter._client.export(self._envelope.around(spans)).success  # noqa: SLF001 - nothing public takes bytes
        if is_taken:
            if self._lost:
                log.info("traces_exported_again", lost=self._lost)
            self._lost = 0
            return
        if not self._lost:
            # The address without what may stand in front of it or behind: a password, a key.
            host = urlsplit(self._exporter._endpoint).netloc.rpartition("@")[2]  # noqa: SLF001 - see above
            log.warning("traces_not_exported", collector=host, reason=self._said.text)
        self._lost += len(spans)

    def close(self) -> None:
        self._exporter.shutdown()


class _FirstSaid(logging.Handler):
    """Keeps the library's first complaint of a batch: those after it only say that there were several."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = self.text or record.getMessage()[:300]
