"""An endpoint on this machine: keeps what it is sent and answers as it is told."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any

import msgspec
from aiohttp import web

Answer = Callable[["Received"], Awaitable[web.Response] | web.Response]


@dataclass(frozen=True)
class Received:
    """One delivery as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> dict[str, Any]:
        decoded: dict[str, Any] = msgspec.json.decode(self.body)
        return decoded

    @property
    def type(self) -> str:
        return str(self.json["type"])


@dataclass
class Receiver:
    """What came in, and what is answered: by default 200."""

    url: str = ""
    got: list[Received] = field(default_factory=list)
    answer: Answer = lambda _: web.Response(text="thank you")
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(request.path, headers, await request.read(), time.monotonic())
        self.got.append(received)
        self.arrived.set()
        answered = self.answer(received)
        return answered if isinstance(answered, web.Response) else await answered

    async def wait_for(self, count: int, *, within_s: float = 90) -> list[Received]:
        """Wait until that many have come in."""
        async with asyncio.timeout(within_s):
            while len(self.got) < count:
                self.arrived.clear()
                await self.arrived.wait()
        return self.got

    def answer_each(self, *answers: web.Response) -> None:
        """Answer the first deliveries with these, and 200 from then on."""
        left = list(answers)
        self.answer = lambda _: left.pop(0) if left else web.Response()


@contextlib.asynccontextmanager
async def receiving(*, tls: SSLContext | None = None, host: str = "127.0.0.1") -> AsyncIterator[Receiver]:
    """Run a receiver on a free port."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/{path:.*}", receiver.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, host, 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    receiver.url = f"{'https' if tls else 'http'}://{host}:{port}/hook"
    try:
        yield receiver
    finally:
        await runner.cleanup()
