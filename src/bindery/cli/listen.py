"""`bindery listen`: a receiver on this machine that registers, verifies, shows and forwards webhooks."""

import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Final

import aiohttp
import msgspec
import typer
from aiohttp import web
from rich.json import JSON
from rich.text import Text

from bindery.base.clock import Clock
from bindery.base.signatures import flaw_of_delivery, read_secret
from bindery.cli import common
from bindery.cli.connection import REFUSED, Service, ServiceConnection, TokenOption, UrlOption, show_refusal
from bindery.cli.listen_registration import check_reachable, fetch_secret, registered
from bindery.client import ApiError, AsyncBindery

HOST: Final = "127.0.0.1"
MOST_BYTES: Final = 1_000_000
FORWARD_WITHIN_S: Final = 14
"""A little less than the service waits for us."""
VERIFIED: Final = Text("✓ ", style="bold green")
UNVERIFIED: Final = Text("• ", style="yellow")
PASSED_ON: Final = ("webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "user-agent")


@dataclass(slots=True)
class Listener:
    secret: bytes | None
    forward: str | None
    as_json: bool
    http: aiohttp.ClientSession

    async def take(self, request: web.Request) -> web.Response:
        """Answer one delivery: 400 where its signature is wrong, else 204 or what the other side says."""
        body = await request.read()
        flaw = ""
        if self.secret is not None:
            flaw = flaw_of_delivery(self.secret, request.headers, body, now=Clock.real_now())
        show = write_delivery if self.as_json else show_delivery
        show(request.headers.get("webhook-id", ""), body, flaw, verified=self.secret is not None)
        if flaw:
            return web.Response(status=400, text=flaw)
        if self.forward is None:
            return web.Response(status=204)
        return await self._pass_on(request, body, self.forward)

    async def _pass_on(self, request: web.Request, body: bytes, to: str) -> web.Response:
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        out = common.complaints if self.as_json else common.console
        try:
            async with self.http.post(to, data=body, headers=headers, allow_redirects=False) as answer:
                out.print(Text(f"  → {to} answered {answer.status}", style="dim"))
                return web.Response(status=answer.status, body=await answer.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as fault:
            out.print(Text(f"  → {to} did not answer: {fault}", style="bold red"))
            return web.Response(status=502, text="The address to forward to did not answer.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    port: int
    secret: bytes | None
    forward: str | None
    service: ServiceConnection | None
    endpoint: str
    as_json: bool


def listen(
    *,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 9000,
    secret: Annotated[
        str,
        common.optional(
            "Secret to verify with; without it, the demo makes a new one.",
            envvar="BINDERY_WEBHOOK_SECRET",
            metavar="whsec_…",
        ),
    ] = "",
    forward: Annotated[
        str, typer.Option("--forward", metavar="URL", help="Forward verified deliveries to this address.")
    ] = "",
    endpoint: Annotated[
        str, common.optional("Register this address, which leads here, such as a tunnel's.", metavar="URL")
    ] = "",
    alone: Annotated[
        bool, typer.Option("--no-register", help="Only listen; do not contact the service.")
    ] = False,
    url: UrlOption = None,
    token: TokenOption = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Register as a webhook, show deliveries as they come, and remove the registration at the end.

    Example: bindery listen --forward http://localhost:3000/hooks
    """
    for name, address in (("--forward", forward), ("--endpoint", endpoint)):
        if address and not address.startswith(("http://", "https://")):
            common.refuse(f"{name} needs an address that begins with http:// or https://.")
    try:
        key = read_secret(secret) if secret else None
    except ValueError as fault:
        common.refuse(str(fault))
    service = None if alone else Service(url, token, data, as_json).connection
    if service is not None and not endpoint:
        check_reachable(service)
    asked = Listening(
        port=port,
        secret=key,
        forward=forward or None,
        service=service,
        endpoint=endpoint or f"http://{HOST}:{port}/",
        as_json=as_json,
    )
    try:
        common.run(_listen(asked))
    except ApiError as fault:
        if fault.status == 0:
            common.refuse(f"{fault.message} Is the service running? --no-register listens without it.")
        show_refusal(fault, as_json=as_json)
        return REFUSED
    return 0


async def _listen(asked: Listening) -> None:
    timeout = aiohttp.ClientTimeout(total=FORWARD_WITHIN_S)
    with common.stop_on_signal() as stop, _bound_to(asked.port) as port:
        async with AsyncExitStack() as open_until_the_end:
            opened = open_until_the_end.enter_async_context
            http = await opened(aiohttp.ClientSession(timeout=timeout))
            listener = Listener(asked.secret, asked.forward, asked.as_json, http)
            if asked.service is None:
                await opened(_serving(listener, port))
            else:
                bindery = await opened(AsyncBindery(asked.service.token, asked.service.address))
                # Nothing is taken before it can be verified, and nothing is registered before it is taken.
                if listener.secret is None:
                    listener.secret = await fetch_secret(bindery, asked.service)
                await opened(_serving(listener, port))
                await opened(registered(bindery, asked.endpoint))
            _greet(asked, verifies=listener.secret is not None)
            await stop.wait()


@contextmanager
def _bound_to(number: int) -> Iterator[socket.socket]:
    with socket.socket() as port:
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            port.bind((HOST, number))
            port.listen()
        except OSError as fault:
            common.refuse(f"Cannot listen on port {number}: {fault.strerror}. Choose another with --port.")
        yield port


@asynccontextmanager
async def _serving(listener: Listener, port: socket.socket) -> AsyncIterator[None]:
    app = web.Application(client_max_size=MOST_BYTES)
    app.router.add_post("/{path:.*}", listener.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, port).start()
        yield
    finally:
        await runner.cleanup()


def _greet(asked: Listening, *, verifies: bool) -> None:
    out = common.complaints if asked.as_json else common.console
    here = f"http://{HOST}:{asked.port}/"
    out.print(f"Listening on [bold]{here}[/]", highlight=False)
    if asked.service is not None:
        out.print(f"Registered with {asked.service.address}", highlight=False, markup=False)
    if asked.forward:
        out.print(Text(f"Forwarding to {asked.forward}"))
    if not verifies:
        out.print(
            "[yellow]Signatures are not verified[/]: pass --secret, as returned by POST "
            "/v2/settings/webhook_secret.",
            highlight=False,
        )
    if asked.service is None:
        out.print(
            f'Register it: POST /v2/webhooks {{"endpoint": "{here}", "quote_level": true, '
            '"policy_level": true}',
            markup=False,
            highlight=False,
        )
    out.print("Ctrl-C stops it.", style="dim")
    sys.stdout.flush()


def show_delivery(message_id: str, body: bytes, flaw: str, *, verified: bool) -> None:
    said = _event(body)
    if said is None:
        common.console.print(
            Text(f"✗ {len(body)} bytes that are not an event: {flaw or 'not JSON'}", style="bold red")
        )
        return
    mark = Text("✗ ", style="bold red") if flaw else VERIFIED if verified else UNVERIFIED
    common.console.print(mark + Text(f"{said['type']}  ", style="bold") + Text(message_id, style="dim"))
    if flaw:
        common.console.print(Text(f"  refused: {flaw}", style="bold red"))
    if "data" in said:
        common.console.print(JSON(msgspec.json.encode(said["data"]).decode(), indent=2))
    sys.stdout.flush()


def write_delivery(message_id: str, body: bytes, flaw: str, *, verified: bool) -> None:
    said = _event(body) or {"type": None}
    line = {"id": message_id, "verified": verified and not flaw, "flaw": flaw or None, **said}
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    sys.stdout.flush()


def _event(body: bytes) -> dict[str, Any] | None:
    try:
        said = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.MsgspecError:
        return None
    return said if "type" in said else None
