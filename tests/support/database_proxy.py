"""A man in the middle between a process and its database, who cuts when the test says so."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit


class DatabaseProxy:
    """Passes bytes on between TCP clients and the socket of the run's server."""

    def __init__(self, dsn: str) -> None:
        split = urlsplit(dsn)
        asked = parse_qs(split.query)
        self._socket = f"{asked['host'][0]}/.s.PGSQL.{asked['port'][0]}"
        self._database = split.path
        self._role = split.username
        self.port = 0
        self.cuts_after: bytes | None = None
        """A connection on which a client sends these bytes is cut as soon as the server has answered them."""
        self.cuts = 0
        self.asked = 0
        """How often a client has sent something."""
        self._is_away = False
        self._flows = asyncio.Event()
        self._flows.set()
        self._clients: set[asyncio.StreamWriter] = set()

    def go_away(self) -> None:
        """Cut every connection, and every new one at once, until it comes back."""
        self._is_away = True
        for client in self._clients:
            client.transport.abort()

    def come_back(self) -> None:
        self._is_away = False
        self._flows.set()

    def freeze(self) -> None:
        """Pass nothing on any more, without a word, until it comes back."""
        self._flows.clear()

    @property
    def dsn(self) -> str:
        return f"postgresql://{self._role}@127.0.0.1:{self.port}{self._database}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_away:
            writer.transport.abort()
            return
        from_server, to_server = await asyncio.open_unix_connection(self._socket)
        cut = asyncio.Event()
        passing = [
            asyncio.create_task(self._pass_on(reader, to_server, cut)),
            asyncio.create_task(self._pass_back(from_server, writer, cut)),
        ]
        self._clients.add(writer)
        try:
            await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._clients.discard(writer)
            for task in passing:
                task.cancel()
            await asyncio.gather(*passing, return_exceptions=True)
            for stream in (to_server, writer):
                stream.transport.abort()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cut: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            self.asked += 1
            if self.cuts_after is not None and self.cuts_after in data:
                cut.set()
            writer.write(data)
            await writer.drain()

    async def _pass_back(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cut: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            if cut.is_set():
                self.cuts += 1
                return
            await self._flows.wait()
            writer.write(data)
            await writer.drain()


@contextlib.asynccontextmanager
async def database_proxy(dsn: str) -> AsyncIterator[DatabaseProxy]:
    proxy = DatabaseProxy(dsn)
    serving: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await proxy.serve(reader, writer)
        serving.discard(task)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in list(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
