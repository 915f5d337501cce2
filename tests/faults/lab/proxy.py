"""A TCP proxy before PostgreSQL that can cut its connections or hold back what they carry."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

CHUNK = 65_536


class Proxy:
    """Passes bytes between TCP clients and a local socket."""

    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False
        self.port = 0

    def cut(self) -> None:
        """Break every connection, and every new one until `resume`."""
        self._refusing = True
        for writer in tuple(self._writers):
            writer.transport.abort()

    def stall(self) -> None:
        """Hold back everything until `resume`; connections stay open, as with a network that lost its way."""
        self._flowing.clear()

    def resume(self) -> None:
        self._refusing = False
        self._flowing.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            if not self._refusing:
                await self._join(reader, writer)
        finally:
            self._tasks.discard(task)
            self._writers.discard(writer)
            writer.transport.abort()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_unix_connection(str(self._socket_path))
        except OSError:
            return
        self._writers.add(up_writer)
        pumps = [
            asyncio.create_task(self._pump(reader, up_writer)),
            asyncio.create_task(self._pump(up_reader, writer)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            self._writers.discard(up_writer)
            up_writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()

    async def end(self) -> None:
        self.resume()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def proxying(socket_path: Path) -> AsyncIterator[Proxy]:
    """Run a proxy on a free port of this machine."""
    proxy = Proxy(socket_path)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.end()
