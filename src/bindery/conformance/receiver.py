"""An endpoint of our own that keeps what is delivered to it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from bindery.base.clock import Clock
from bindery.base.signatures import flaw_of_delivery, read_secret
from bindery.conformance.row import PlayedAnswer

MOST_BYTES = 1_000_000


@dataclass
class Receiver:
    """What came in, by the hook it came to: the last part of the address."""

    came: dict[str, list[PlayedAnswer]] = field(default_factory=dict)
    secret: str = ""
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        delivery = PlayedAnswer(0, headers, body, flaw=self._flaw(headers, body))
        async with self._arrived:
            self.came.setdefault(request.path.rsplit("/", 1)[-1], []).append(delivery)
            self._arrived.notify_all()
        return web.Response(status=204)

    async def next(self, hook: str, about: str, *, within_s: float) -> PlayedAnswer | None:
        """Wait for a delivery to a hook that holds this text; None when none comes in time."""
        try:
            async with asyncio.timeout(within_s), self._arrived:
                while True:
                    for delivery in self.came.get(hook, ()):
                        if about.encode() in delivery.body:
                            return delivery
                    await self._arrived.wait()
        except TimeoutError:
            return None

    def _flaw(self, headers: dict[str, str], body: bytes) -> str:
        try:
            key = read_secret(self.secret)
        except ValueError as fault:
            return str(fault)
        return flaw_of_delivery(key, headers, body, now=Clock.real_now())


@asynccontextmanager
async def receiving(port: socket.socket) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application(client_max_size=MOST_BYTES)
    app.router.add_post("/{path:.*}", receiver.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, port).start()
        yield receiver
    finally:
        await runner.cleanup()
