"""Spans as we write them, next to what OpenTelemetry's own classes write and read."""

import uuid
from typing import Any, NamedTuple

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from bindery.base.tracing import SpanKind
from bindery.outside.otlp_spans import Envelope, TracePlace, written_span
from bindery.outside.trace_recorder import read_traceparent

TRACE_ID = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
SPAN_ID = bytes.fromhex("b7ad6b7169203331")
ABOVE_ID = bytes.fromhex("00f067aa0ba902b7")
RESOURCE = {"service.name": "bindery", "service.version": "1.2.3", "team": "Zürich"}
BEGAN, ENDED = 1_790_000_000_123_456_000, 1_790_000_001_000_000_999
WEBHOOK = uuid.UUID(int=7)
HERE = TracePlace(TRACE_ID, SPAN_ID, is_sampled=True)


class EndedSpan(NamedTuple):
    """What `written_span` is given."""

    place: TracePlace
    above: TracePlace | None
    name: str
    kind: SpanKind
    began_ns: int
    ended_ns: int
    facts: dict[str, object]
    fault: str | None


def span(**given: Any) -> EndedSpan:
    usual = EndedSpan(HERE, None, "scan", SpanKind.INSIDE, BEGAN, ENDED, {}, None)
    return usual._replace(**given)


SPANS = {
    "one that begins a trace": span(),
    "one under another of the process": span(above=TracePlace(TRACE_ID, ABOVE_ID, is_sampled=True)),
    "one under a caller's": span(above=TracePlace(TRACE_ID, ABOVE_ID, is_sampled=True, is_remote=True)),
    "a request": span(
        name="request create_quotes",
        kind=SpanKind.REQUEST,
        facts={"method": "POST", "operation": "create_quotes", "status": 200},
    ),
    "a job": span(name="process_submission", kind=SpanKind.JOB, facts={"job": 2**40, "attempt": 1}),
    "a call that failed": span(
        name="deliver", kind=SpanKind.CALL, facts={"webhook": WEBHOOK, "delivery": 0}, fault="no_answer"
    ),
    **{
        f"a name of {length} bytes": span(
            name="n" * length, fault="f" * length, facts={"document": "d" * length}
        )
        for length in (0, 1, 127, 128, 16_383, 16_384)
    },
    "words beyond ASCII": span(name="Prüfung", facts={"document": "Größe"}, fault="Störung"),
    **{f"the number {number}": span(facts={"job": number}) for number in (0, 127, 128, 2**31, 2**63 - 1)},
}
NAMES = {"method": "http.request.method", "status": "http.response.status_code"}
KINDS = {
    SpanKind.INSIDE: trace.SpanKind.INTERNAL,
    SpanKind.REQUEST: trace.SpanKind.SERVER,
    SpanKind.CALL: trace.SpanKind.CLIENT,
    SpanKind.JOB: trace.SpanKind.CONSUMER,
}


def context_of(place: TracePlace) -> SpanContext:
    return SpanContext(
        int.from_bytes(place.trace_id),
        int.from_bytes(place.span_id),
        is_remote=place.is_remote,
        trace_flags=TraceFlags(place.is_sampled),
    )


def of_the_library(ended: EndedSpan) -> ReadableSpan:
    return ReadableSpan(
        ended.name,
        context_of(ended.place),
        context_of(ended.above) if ended.above else None,
        Resource(RESOURCE),
        {
            NAMES.get(name, f"bindery.{name}"): value if isinstance(value, int) else str(value)
            for name, value in ended.facts.items()
        },
        kind=KINDS[ended.kind],
        status=Status(StatusCode.ERROR, ended.fault) if ended.fault is not None else Status(),
        start_time=ended.began_ns,
        end_time=ended.ended_ns,
        instrumentation_scope=InstrumentationScope("bindery"),
    )


def read(body: bytes) -> ExportTraceServiceRequest:
    found: ExportTraceServiceRequest = ExportTraceServiceRequest.FromString(body)
    return found


@pytest.mark.parametrize("ended", SPANS.values(), ids=list(SPANS))
def test_a_span_says_what_the_librarys_own_would(ended: EndedSpan) -> None:
    ours = read(Envelope(RESOURCE, "bindery").around([written_span(*ended)]))
    theirs = encode_spans([of_the_library(ended)])
    (their_span,) = theirs.resource_spans[0].scope_spans[0].spans
    if ended.fault is None:
        # They write a status that says nothing.
        their_span.ClearField("status")

    assert ours == theirs


def test_many_spans_are_one_request() -> None:
    ours = read(Envelope(RESOURCE, "bindery").around(written_span(*ended) for ended in SPANS.values()))
    theirs = encode_spans([of_the_library(ended) for ended in SPANS.values()])

    assert [one.name for one in ours.resource_spans[0].scope_spans[0].spans] == [
        one.name for one in theirs.resource_spans[0].scope_spans[0].spans
    ]


@pytest.mark.parametrize(
    "given",
    [
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01",
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-00",
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-03",
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-02",
        f" \t00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01 \t",
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01-more",
        f"cc-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01-more",
        f"cc-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01",
        f"ff-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01",
        f"00-{TRACE_ID.hex().upper()}-{SPAN_ID.hex()}-01",
        f"00-{'0' * 32}-{SPAN_ID.hex()}-01",
        f"00-{TRACE_ID.hex()}-{'0' * 16}-01",
        f"00-{TRACE_ID.hex()}-{SPAN_ID.hex()}",
        f"cc-{TRACE_ID.hex()}-{SPAN_ID.hex()}-01-{'m' * 512}",
        "",
        "x" * 55,
    ],
)
def test_a_callers_trace_is_read_as_the_library_reads_it(given: str) -> None:
    place = read_traceparent(given)
    found = trace.get_current_span(TraceContextTextMapPropagator().extract({"traceparent": given}))
    theirs = found.get_span_context()

    if not theirs.is_valid:
        assert place is None
        return
    assert place is not None
    assert context_of(place)[:3] == theirs[:3]
    assert place.is_sampled == theirs.trace_flags.sampled
