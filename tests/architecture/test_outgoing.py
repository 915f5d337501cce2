"""Whoever connects to an address that somebody else chose goes through a guard in `outside/`."""

import ast
from collections.abc import Iterator

import pytest
from tools.source_reading import parsed

from support.source_tree import nodes_in, python_sources

CLIENTS = frozenset({"aiohttp", "httpx", "requests", "urllib3", "urllib.request", "http.client"})
EXPORTERS = "opentelemetry.exporter"
CONNECTING = frozenset({"open_connection", "create_connection", "sock_connect"})
GUARDS = {"outside/partner_http.py", "outside/guarded_connect.py"}
OPERATORS_ADDRESS = {"outside/trace_exporter.py"}
"""Sends where the operator's own variables say, and nowhere else."""
OWN_ADDRESS = {"cli/listen.py", "conformance/play.py", "conformance/run.py"}
"""Call the address that a developer gives on the command line, from the developer's own machine."""


def connections_in(source: str) -> Iterator[int]:
    """Find the lines that import an HTTP client or open a connection; `aiohttp.web` is a server."""
    for node in nodes_in(parsed(source)):
        match node:
            case ast.Import(names=names) if {name.name for name in names} & CLIENTS:
                yield node.lineno
            case ast.ImportFrom(module=module, names=names):
                imported = {module, *(f"{module}.{name.name}" for name in names)}
                sends = any(name and name.startswith(EXPORTERS) for name in imported)
                if sends or (imported & CLIENTS and imported != {"aiohttp", "aiohttp.web"}):
                    yield node.lineno
            case ast.Attribute(attr=name) if name in CONNECTING:
                yield node.lineno


def test_only_the_guards_open_connections() -> None:
    found = {path for path, source in python_sources().items() if any(connections_in(source))}

    assert {
        path for path in found if not path.startswith("client/")
    } == GUARDS | OPERATORS_ADDRESS | OWN_ADDRESS


@pytest.mark.parametrize(
    "source",
    [
        "import aiohttp",
        "import httpx",
        "from aiohttp import ClientSession",
        "from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter",
        "from urllib import request",
        "import asyncio\nreader, writer = await asyncio.open_connection('example.com', 80)",
    ],
)
def test_a_seeded_connection_is_found(source: str) -> None:
    assert list(connections_in(source)) == [len(source.splitlines())]


def test_a_server_is_no_connection() -> None:
    assert list(connections_in("from aiohttp import web")) == []
