"""Connections that nobody uses do not keep callers out, however many there are."""

import contextlib
import resource
import socket
from collections.abc import Iterator

import httpx
import pytest

from support.processes import Program
from support.service import Service

pytestmark = pytest.mark.long

FILES = 256
CROWD = 300


@contextlib.contextmanager
def few_files() -> Iterator[None]:
    """Limit the open files of what is started inside; this process keeps its limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_more_idle_connections_than_files_lock_nobody_out(service: Service, program: Program) -> None:
    with contextlib.ExitStack() as stack:
        with few_files():
            server = stack.enter_context(program.serving())
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        for _ in range(CROWD):
            stack.enter_context(socket.create_connection(address))

        async with httpx.AsyncClient(base_url=server.url, timeout=60) as caller:
            answers = [await caller.get("/livez", headers={"Connection": "close"}) for _ in range(20)]
            metrics = (await caller.get("/metrics")).text

    assert [answer.status_code for answer in answers] == [200] * 20
    (made_room,) = [line for line in metrics.splitlines() if 'closed_total{reason="made_room"}' in line]
    assert float(made_room.rpartition(" ")[2]) >= CROWD - FILES
    assert "connection_closed" in server.stderr
    assert "Traceback" not in server.stderr
