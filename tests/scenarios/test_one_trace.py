"""Across real processes: copies of `serve`, `work`, and the partner at both ends."""

import subprocess
import sys
from pathlib import Path

import pytest
from tools.trace_picture import drawn

from support.collector import SeenSpan
from support.processes import Program, kept_variables
from support.traced_story import PARTNERS_SPAN, play

OFF = """
import sys
import bindery.cli.serve, bindery.cli.work, bindery.cli.demo, bindery.server.serve, bindery.worker.worker
print(sorted(name for name in sys.modules if name.startswith("opentelemetry")))
"""


def way_up(span: SeenSpan, by_id: dict[str, SeenSpan]) -> list[tuple[str, str]]:
    way = [(span.process, span.name)]
    while span.parent_id in by_id:
        span = by_id[span.parent_id]
        way.append((span.process, span.name))
    return [*way, ("partner", span.parent_id)]


@pytest.mark.long
async def test_one_trace_leads_through_all_processes(dsn: str, tmp_path: Path) -> None:
    spans, deliveries = await play(dsn, tmp_path)
    by_id = {span.span_id: span for span in spans}
    ways = {span.name: way_up(span, by_id) for span in spans}
    asked = [("serve", "request create_quotes"), ("partner", PARTNERS_SPAN)]
    job = [("work", "process_submission"), *asked]
    decided = [("work", "decide"), *job]

    assert ways["request create_quotes"] == asked
    assert ways["process_submission"] == job
    assert ways["scan"] == [("work", "scan"), *job]
    for name in ("rate", "screen", "publish", "deliver"):
        assert ways[name] == [("work", name), *decided]
    assert ways["render"][0] == ("serve", "render")
    assert ways["render"][-1] == ("partner", PARTNERS_SPAN)
    assert {delivery.headers["traceparent"].split("-")[2] for delivery in deliveries} == {
        span.span_id for span in spans if span.name == "deliver"
    }
    assert not [span for span in spans if span.has_failed]
    assert all(span.began <= span.ended for span in spans)

    picture = drawn(spans)

    assert all(f">{span.name}</text>" in picture for span in spans)


def test_without_a_collector_nothing_of_the_library_is_imported() -> None:
    program = subprocess.run(
        [sys.executable, "-c", OFF], capture_output=True, text=True, check=True, env=kept_variables()
    )

    assert program.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["serve", "work", "demo"])
def test_a_process_that_would_lose_every_span_does_not_start(command: str, tmp_path: Path) -> None:
    program = Program(tmp_path, {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"})

    assert program.run(command).complaint == ("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address.")
