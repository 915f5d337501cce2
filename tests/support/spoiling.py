"""What stands before the service and spoils one kind of answer, so that a check has something to find."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
from aiohttp import web

Body = Any
HOP_BY_HOP = ("host", "connection", "content-length", "transfer-encoding", "keep-alive")
OF_THE_BODY = ("content-length", "content-encoding")


@dataclass(frozen=True)
class Spoil:
    """One kind of answer, and how it is spoiled: a body that is changed in place, or another status."""

    method: str
    path: str
    change: Callable[[Body], object] | None = None
    status: int | None = None
    when: Callable[[Body], bool] = lambda _: True
    asked: Callable[[Body], object] | None = None
    """How the request is changed on its way."""

    def fits(self, request: httpx.Request) -> bool:
        parts, wanted = request.url.path.removeprefix("/v2").split("/"), self.path.split("/")
        return (
            request.method == self.method
            and len(parts) == len(wanted)
            and all(want in {"*", part} for part, want in zip(parts, wanted, strict=True))
        )


class Spoiling(httpx.AsyncBaseTransport):
    """Hands requests on, and answers spoiled."""

    def __init__(self, behind: httpx.AsyncBaseTransport, spoils: Sequence[Spoil]) -> None:
        self._behind = behind
        self._spoils = spoils

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        fitting = [spoil for spoil in self._spoils if spoil.fits(request)]
        request = _asked(request, fitting)
        response = await self._behind.handle_async_request(request)
        content = await response.aread()
        status, headers = response.status_code, response.headers
        for spoil in fitting:
            body = _read(content)
            if not spoil.when(body):
                continue
            if spoil.change is not None:
                spoil.change(body)
                content = msgspec.json.encode(body)
            status = spoil.status or status
        kept = [(name, value) for name, value in headers.multi_items() if name not in OF_THE_BODY]
        return httpx.Response(status, headers=kept, content=content, request=request)


def _asked(request: httpx.Request, fitting: Sequence[Spoil]) -> httpx.Request:
    changes = [spoil.asked for spoil in fitting if spoil.asked is not None]
    body = _read(request.content) if changes else None
    if not isinstance(body, dict):
        return request
    for change in changes:
        change(body)
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}
    return httpx.Request(request.method, request.url, headers=headers, content=msgspec.json.encode(body))


def _read(content: bytes) -> Body:
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return None


@contextlib.asynccontextmanager
async def spoiling_proxy(behind: str, spoils: Sequence[Spoil]) -> AsyncIterator[str]:
    """Run a proxy on a free port."""

    async def hand_on(request: web.Request) -> web.Response:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        url = f"{behind}{request.raw_path}"
        answer = await transport.handle_async_request(
            httpx.Request(request.method, url, headers=headers, content=await request.read())
        )
        kept = {name: value for name, value in answer.headers.items() if name not in HOP_BY_HOP}
        return web.Response(status=answer.status_code, headers=kept, body=await answer.aread())

    async with httpx.AsyncHTTPTransport(verify=False) as straight:
        transport = Spoiling(straight, spoils)
        app = web.Application(client_max_size=30_000_000)
        app.router.add_route("*", "/{path:.*}", hand_on)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()
