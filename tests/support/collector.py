"""A collector of traces on this machine: takes OTLP over HTTP as the standard has it, and keeps the spans."""

import contextlib
import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Status


@dataclass(frozen=True)
class SeenSpan:
    process: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    began: int
    ended: int
    has_failed: bool
    facts: dict[str, str | int]


@dataclass
class Collector:
    url: str = ""
    status: int = 200
    spans: list[SeenSpan] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    resources: list[dict[str, str | int]] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    """How many spans came together, each time."""

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = _facts(of_process.resource.attributes)
            process = resource["bindery.process"]
            self.resources.append(resource)
            self.batches.append(sum(len(scope.spans) for scope in of_process.scope_spans))
            for scope in of_process.scope_spans:
                self.spans += [
                    SeenSpan(
                        process=str(process),
                        name=span.name,
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex(),
                        kind=span.kind,
                        began=span.start_time_unix_nano,
                        ended=span.end_time_unix_nano,
                        has_failed=span.status.code == Status.STATUS_CODE_ERROR,
                        facts=_facts(span.attributes),
                    )
                    for span in scope.spans
                ]

    def named(self, name: str) -> list[SeenSpan]:
        return [span for span in self.spans if span.name == name]

    def of_trace(self, trace_id: str) -> list[SeenSpan]:
        return sorted((span for span in self.spans if span.trace_id == trace_id), key=lambda span: span.began)


def _facts(attributes: "list[KeyValue]") -> dict[str, str | int]:
    return {
        pair.key: pair.value.int_value if pair.value.HasField("int_value") else pair.value.string_value
        for pair in attributes
    }


@contextlib.contextmanager
def collecting(port: int = 0) -> Iterator[Collector]:
    collector = Collector()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            if collector.status == 200:
                collector.headers.append(dict(self.headers))
                is_zipped = self.headers["Content-Encoding"] == "gzip"
                collector.take(gzip.decompress(body) if is_zipped else body)
            self.send_response(collector.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", port), Taking)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
