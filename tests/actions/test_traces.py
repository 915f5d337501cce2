"""One trace from a request to the webhooks that tell of it; nothing that was said in the request is in it."""

import asyncio
import contextlib
import logging
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.base import tracing
from bindery.base.errors import Misconfigured
from bindery.outside.traces import check_trace_variables, exporting_traces
from support.collector import Collector, SeenSpan, collecting
from support.receiver import receiving
from support.service import Service, request_body, serving, working
from support.waiting import eventually

CALLERS_TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLERS_SPAN = "b7ad6b7169203331"
TRACEPARENT = f"00-{CALLERS_TRACE}-{CALLERS_SPAN}-01"
SAMPLED = 1
TOLD_APART = "Zyxwabcde"
"""In everything that the partner and the applicant say."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Any:
    with collecting() as collector:
        for name in [name for name in os.environ if name.startswith("OTEL_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
        yield collector


@contextlib.asynccontextmanager
async def traced(dsn: str, folder: Path) -> AsyncIterator[Service]:
    async with exporting_traces("demo"), serving(dsn, folder) as service:
        yield service


async def spans_of(collector: Collector, trace_id: str, *names: str) -> dict[str, SeenSpan]:
    """Return the spans of a trace by name, as soon as those named have come in."""

    async def look() -> dict[str, SeenSpan]:
        return {span.name: span for span in reversed(collector.of_trace(trace_id))}

    return await eventually(look, lambda found: set(names) <= set(found))


async def hear(service: Service, url: str) -> None:
    answer = await service.post("/v2/webhooks", {"endpoint": url, "quote_level": True, "policy_level": True})
    assert answer.status_code == 200, answer.text


def parents_of(span: SeenSpan, spans: list[SeenSpan]) -> list[str]:
    """Return the names from a span up to where its trace begins."""
    by_id = {other.span_id: other for other in spans}
    names = []
    while (parent := by_id.get(span.parent_id)) is not None:
        names.append(parent.name)
        span = parent
    return [*names, span.parent_id]


async def test_a_trace_leads_from_the_callers_request_to_the_webhook(
    dsn: str, tmp_path: Path, collector: Collector
) -> None:
    async with receiving() as receiver, traced(dsn, tmp_path) as service, working(service):
        await hear(service, receiver.url)
        answer = await service.post("/v2/quotes", request_body(), traceparent=TRACEPARENT)
        first, *_ = await receiver.wait_for(2)
        spans = await spans_of(collector, CALLERS_TRACE, "deliver", "publish", "process_submission")
    all_spans = collector.of_trace(CALLERS_TRACE)

    assert answer.status_code == 200
    assert parents_of(spans["deliver"], all_spans) == [
        "decide",
        "process_submission",
        "request create_quotes",
        CALLERS_SPAN,
    ]
    for part in ("scan", "rate", "screen", "publish"):
        assert parents_of(spans[part], all_spans)[-2:] == ["request create_quotes", CALLERS_SPAN]
    assert first.headers["traceparent"] in {
        f"00-{CALLERS_TRACE}-{span.span_id}-01" for span in all_spans if span.name == "deliver"
    }
    assert spans["request create_quotes"].facts == {
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "bindery.operation": "create_quotes",
    }


async def test_requests_of_several_callers_that_share_transactions_keep_their_traces(
    dsn: str, tmp_path: Path, collector: Collector
) -> None:
    traces = [uuid.uuid4().hex for _ in range(12)]

    async with receiving() as receiver, traced(dsn, tmp_path) as service, working(service):
        await hear(service, receiver.url)

        def body(number: int) -> dict[str, Any]:
            def change(body: dict[str, Any]) -> None:
                body["client"].update(domains=[f"applicant{number}.com"])
                body["client"]["address"]["street"] = f"{number} Market Street"

            return request_body(change)

        receipts = await asyncio.gather(
            *(
                service.post("/v2/quotes", body(number), traceparent=f"00-{trace}-{CALLERS_SPAN}-01")
                for number, trace in enumerate(traces)
            )
        )
        deliveries = await receiver.wait_for(24)
    trace_of_quote = {
        quote["quote_identifier"]: trace
        for receipt, trace in zip(receipts, traces, strict=True)
        for quote in receipt.json()["quotes"]
    }

    assert {
        delivery.json["data"]["quote_identifier"]: delivery.headers["traceparent"].split("-")[1]
        for delivery in deliveries
    } == trace_of_quote


async def test_nothing_that_was_said_is_exported(dsn: str, tmp_path: Path, collector: Collector) -> None:
    secret = f"key-{TOLD_APART}-0123456789"

    def say(body: dict[str, Any]) -> None:
        body["client"]["name"] = f"{TOLD_APART} Inc"
        body["client"]["domains"] = [f"{TOLD_APART.lower()}.com"]
        body["client"]["address"]["street"] = f"1 {TOLD_APART} Street"
        body["metadata"] = {"reference": TOLD_APART}

    async with receiving() as receiver, traced(dsn, tmp_path) as service, working(service):
        await hear(service, f"{receiver.url}/{TOLD_APART}?key={TOLD_APART}")
        said = {
            "traceparent": TRACEPARENT,
            "tracestate": f"vendor={TOLD_APART}",
            "baggage": f"user={TOLD_APART}",
            "X-Request-Id": TOLD_APART,
            "User-Agent": TOLD_APART,
            "Idempotency-Key": secret,
        }
        answer = await service.post("/v2/quotes", request_body(say), **said)
        assert answer.status_code == 200, answer.text
        quote_id = answer.json()["quotes"][0]["quote_identifier"]
        await service.ready(quote_id)
        await service.get(f"/v2/quotes/{TOLD_APART}", traceparent=TRACEPARENT)
        await service.http.request(TOLD_APART.upper(), "/v2/quotes", headers=said)
        await service.get(f"/v2/quotes/quote_letter/{quote_id}", traceparent=TRACEPARENT)
        await receiver.wait_for(2)
        await spans_of(collector, CALLERS_TRACE, "deliver", "publish", "request create_quotes")
    exported = b"".join(collector.bodies).lower()

    assert len(collector.spans) > 12
    for word in (TOLD_APART, secret, service.token, service.partner.key, "harborlight", "127.0.0.1"):
        assert word.lower().encode() not in exported


@pytest.mark.parametrize(
    "given",
    ["", "00-zz", f"00-{'0' * 32}-{CALLERS_SPAN}-01", f"ff-{CALLERS_TRACE}-{CALLERS_SPAN}-01", "é" * 55],
)
async def test_what_is_no_trace_begins_a_new_one(
    given: str, dsn: str, tmp_path: Path, collector: Collector
) -> None:
    async with traced(dsn, tmp_path) as service:
        headers = httpx.Headers({**service.headers, "traceparent": given}, encoding="latin-1")
        answer = await service.http.get("/v2/quotes", headers=headers)
    (span,) = collector.spans

    assert answer.status_code == 200
    assert span.parent_id == ""
    assert span.trace_id != CALLERS_TRACE


async def test_a_sampled_part_of_the_traces_is_sent_and_every_one_is_passed_on(
    dsn: str, tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")

    async with receiving() as receiver, traced(dsn, tmp_path) as service, working(service):
        await hear(service, receiver.url)
        await service.submit()
        unsampled, *_ = await receiver.wait_for(2)
        await service.post("/v2/quotes", request_body(), traceparent=TRACEPARENT)
        await spans_of(collector, CALLERS_TRACE, "publish", "deliver")

    assert int(unsampled.headers["traceparent"][-2:], 16) & SAMPLED == 0
    assert {span.trace_id for span in collector.spans} == {CALLERS_TRACE}


@pytest.mark.parametrize(
    ("sampler", "argument", "sent"),
    [
        ("always_on", "", {"begun", "under sampled", "under unsampled"}),
        ("always_off", "", set()),
        ("traceidratio", "1", {"begun", "under sampled", "under unsampled"}),
        ("traceidratio", "0", set()),
        ("parentbased_always_on", "", {"begun", "under sampled"}),
        ("parentbased_always_off", "", {"under sampled"}),
        ("parentbased_traceidratio", "1", {"begun", "under sampled"}),
        ("", "", {"begun", "under sampled"}),
        ("no_such", "", {"begun", "under sampled"}),
    ],
)
async def test_the_samplers_of_the_standard_variables_decide(
    sampler: str, argument: str, sent: set[str], collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler or "parentbased_always_on")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", argument)

    async with exporting_traces("work"):
        for name, parent in (
            ("begun", ""),
            ("under sampled", TRACEPARENT),
            ("under unsampled", f"{TRACEPARENT[:-2]}00"),
        ):
            with tracing.span(name, parent=parent), tracing.span(name):
                tracing.add_span(name, began=time.perf_counter(), seconds=0)

    assert {name: len(collector.named(name)) for name in sent} == dict.fromkeys(sent, 3)
    assert {span.name for span in collector.spans} == sent


async def test_half_of_the_traces_are_half_of_them(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")

    async with exporting_traces("work"):
        for _ in range(1_000):
            with tracing.span("begun"):
                pass

    # Fewer or more come once in ten thousand million runs.
    assert 400 < len(collector.spans) < 600


async def test_what_is_sent_follows_the_standard_variables(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc,x-tenant=t1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "quotes")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=staging,team=a%20b")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4")

    async with exporting_traces("work"):
        for _ in range(10):
            with tracing.span("scan"):
                pass

    headers = {name.lower(): value for name, value in collector.headers[0].items()}
    assert headers.items() >= {
        ("authorization", "Bearer abc"),
        ("x-tenant", "t1"),
        ("content-encoding", "gzip"),
        ("content-type", "application/x-protobuf"),
    }
    assert len(collector.spans) == 10
    assert max(collector.batches) <= 4
    assert collector.resources[0] == {
        "service.name": "quotes",
        "service.version": version("bindery"),
        "bindery.process": "work",
        "deployment.environment": "staging",
        "team": "a b",
    }


async def test_a_span_lasts_as_long_as_its_block(collector: Collector) -> None:
    before = time.time_ns()
    async with exporting_traces("work"):
        with tracing.span("outer"):
            with tracing.span("inner"):
                await asyncio.sleep(0.02)
            tracing.add_span("measured", began=time.perf_counter() - 0.01, seconds=0.005)
    after = time.time_ns()
    outer, inner, measured = (collector.named(name)[0] for name in ("outer", "inner", "measured"))

    assert before - 1_000_000 <= outer.began <= inner.began
    assert inner.ended - inner.began >= 20_000_000
    assert measured.ended - measured.began == pytest.approx(5_000_000, abs=1_000)
    assert inner.ended <= outer.ended + 1_000_000
    assert outer.ended <= after + 1_000_000
    assert inner.parent_id == measured.parent_id == outer.span_id


async def test_a_fault_is_told_by_its_kind_alone(collector: Collector) -> None:
    async with exporting_traces("work"):
        with contextlib.suppress(ValueError), tracing.span("scan"):
            raise ValueError(TOLD_APART)
    (span,) = collector.spans

    assert span.has_failed
    assert TOLD_APART.encode() not in collector.bodies[0]
    assert b"ValueError" in collector.bodies[0]


async def test_a_collector_that_is_away_is_told_of_once_and_keeps_nobody(
    dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    log_lines: Callable[[], list[dict[str, Any]]],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://user:{TOLD_APART}@127.0.0.1:{port}")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "3")

    async def said() -> list[dict[str, Any]]:
        return [line for line in log_lines() if line["event"].startswith("traces_")]

    async with traced(dsn, tmp_path) as service:
        for _ in range(3):
            assert (await service.get("/v2/quotes")).status_code == 200
        await eventually(said, bool)
        for _ in range(3):
            assert (await service.get("/v2/quotes")).status_code == 200
        with collecting(port) as back:
            await service.get("/v2/quotes")
            lines = await eventually(said, lambda lines: len(lines) > 1)

    assert [line["event"] for line in lines] == ["traces_not_exported", "traces_exported_again"]
    assert lines[0]["collector"] == f"127.0.0.1:{port}"
    assert "Connection refused" in lines[0]["reason"]
    assert lines[1]["lost"] >= 1
    assert TOLD_APART not in str(lines)
    assert back.spans
    assert "Transient" not in str([line["event"] for line in log_lines()])


async def test_log_lines_name_the_trace(
    dsn: str, tmp_path: Path, collector: Collector, log_lines: Callable[[], list[dict[str, Any]]]
) -> None:
    async with traced(dsn, tmp_path) as service, working(service):
        answer = await service.post("/v2/quotes", request_body(), traceparent=TRACEPARENT)
        await service.ready(answer.json()["quotes"][0]["quote_identifier"])
        await spans_of(collector, CALLERS_TRACE, "process_submission")
        await service.get("/livez")
    lines = log_lines()

    assert [line["event"] for line in lines if line.get("trace_id") == CALLERS_TRACE] == ["request", "job"]
    assert all("trace_id" not in line for line in lines if line.get("operation") == "livez")


async def test_without_a_collector_nothing_is_traced(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)

    async with receiving() as receiver, traced(dsn, tmp_path) as service, working(service):
        await hear(service, receiver.url)
        await service.post("/v2/quotes", request_body(), traceparent=TRACEPARENT)
        first, *_ = await receiver.wait_for(2)

    assert not tracing.is_on()
    assert "traceparent" not in first.headers


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "must be an http or https address"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:99999", "must be an http or https address"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "grpc://collector", "must be an http or https address"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/protobuf"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", "must be http/protobuf"),
    ],
)
def test_what_would_lose_every_span_is_refused(name: str, value: str, sentence: str) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", name: value}

    with pytest.raises(Misconfigured, match=f"^{name} {sentence}"):
        check_trace_variables(variables)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector", "OTEL_TRACES_EXPORTER": "none"},
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        },
    ],
)
def test_what_is_said_for_others_or_not_at_all_is_let_through(variables: dict[str, str]) -> None:
    check_trace_variables(variables)


async def test_spans_beyond_a_full_queue_are_dropped_without_a_word(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    make = logging.getLogRecordFactory()

    def note(*arguments: Any, **more: Any) -> logging.LogRecord:
        said.append(arguments[0])
        return make(*arguments, **more)

    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "5")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "5")
    collector.status = 503

    async with exporting_traces("work"):
        logging.setLogRecordFactory(note)
        try:
            for _ in range(50):
                with tracing.span("scan"):
                    pass
        finally:
            logging.setLogRecordFactory(make)

    # To write one takes as long as the span.
    assert [name for name in said if name.startswith("opentelemetry.sdk")] == []
