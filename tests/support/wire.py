"""The service on a real socket, and clients that speak bytes rather than HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import ClassVar

import uvicorn

from bindery.server.app import create_app
from bindery.server.connections import ConnectionLimits, LimitedConnection
from bindery.server.serve import Server, listening_socket, uvicorn_options
from support.processes import free_port
from support.service import Service

PATIENCE_S = 60.0
"""How long a test waits for what is to happen at once, also on a busy machine."""


@dataclass
class Wire:
    """A listening service."""

    port: int
    server: Server
    _open: list[asyncio.StreamWriter] = field(default_factory=list)

    async def connect(self) -> "Line":
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._open.append(writer)
        return Line(reader, writer)

    async def say(self, text: str | bytes) -> "Line":
        line = await self.connect()
        await line.say(text)
        return line

    @property
    def at_work(self) -> int:
        """Count the connections on which a request is being worked on."""
        connections = self.server.server_state.connections
        return sum(isinstance(each, LimitedConnection) and each not in each.waiting for each in connections)

    def hang_up(self) -> None:
        for writer in self._open:
            writer.transport.abort()


@dataclass
class Line:
    """One connection of a client."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, text: str | bytes) -> None:
        self.writer.write(text.encode() if isinstance(text, str) else text)
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def rest(self) -> bytes:
        """Read until the service closes."""
        heard = bytearray()
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionError):
                while chunk := await self.reader.read(65_536):
                    heard += chunk
        return bytes(heard)

    async def answer(self) -> tuple[int, bytes, bytes]:
        """Read one answer: its status, its head and its body."""
        async with asyncio.timeout(PATIENCE_S):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            return int(head.split()[1]), head, await self.reader.readexactly(length)


@contextlib.asynccontextmanager
async def listening(service: Service, limits: ConnectionLimits | None = None) -> AsyncIterator[Wire]:
    """Serve on a free port; with limits of the test's own where it cannot wait for ours."""
    chosen = limits or LimitedConnection.limits

    class Watched(LimitedConnection):
        limits = chosen
        waiting: ClassVar[dict[LimitedConnection, None]] = {}

    port = free_port()
    options = {**uvicorn_options("127.0.0.1", port, service.runtime.settings), "http": Watched}
    config = uvicorn.Config(create_app(service.runtime), lifespan="off", **options)
    server = Server(config, lambda: None, lambda: None)
    wire = Wire(port, server)
    with listening_socket("127.0.0.1", port) as socket:
        serving = asyncio.create_task(server._serve([socket]))
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
                    await asyncio.sleep(0.01)
            yield wire
        finally:
            wire.hang_up()
            server.should_exit = True
            await serving
