"""Whether and where traces go: the standard variables of OpenTelemetry say it."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final
from urllib.parse import urlsplit

from bindery.base import tracing
from bindery.base.errors import Misconfigured

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
SPOKEN: Final = "http/protobuf"


def are_wanted(variables: Mapping[str, str]) -> bool:
    is_disabled = variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    is_elsewhere = variables.get("OTEL_TRACES_EXPORTER", "otlp").strip() != "otlp"
    return any(map(variables.get, ENDPOINTS)) and not is_disabled and not is_elsewhere


def check_trace_variables(variables: Mapping[str, str]) -> None:
    """Check what would lose every span without a word.

    Raises:
        Misconfigured: the collector's address is not a URL, or asks for another protocol.
    """
    if not are_wanted(variables):
        return
    for name in ENDPOINTS:
        if (value := variables.get(name)) and not _is_address(value):
            raise Misconfigured(f"{name} must be an http or https address.")
    for name in PROTOCOLS:
        if (value := variables.get(name)) and value != SPOKEN:
            raise Misconfigured(f"{name} must be {SPOKEN}, on a collector's port 4318 as a rule.")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@asynccontextmanager
async def exporting_traces(process: str) -> AsyncIterator[None]:
    """Trace what this process does during the block, where a collector is named; never before a fork."""
    if not are_wanted(os.environ):
        yield
        return
    from bindery.outside.trace_exporter import TraceExporter  # noqa: PLC0415 - half a second, for who wants it

    exporter = TraceExporter(process, version("bindery"))
    tracing.switch_on(exporter.recorder)
    try:
        yield
    finally:
        tracing.switch_off()
        await asyncio.to_thread(exporter.close)
