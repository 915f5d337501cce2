"""`bindery listen`: a receiver on this machine that verifies, shows and forwards webhooks."""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Annotated, Final

import aiohttp
import msgspec
import typer
from aiohttp import web
from rich.json import JSON
from rich.text import Text

from bindery.base.clock import Clock
from bindery.base.signatures import flaw_of_delivery, read_secret
from bindery.cli.common import console, refuse

HOST: Final = "127.0.0.1"
MOST_BYTES: Final = 1_000_000
FORWARD_WITHIN_S: Final = 14
"""A little less than the service waits for us."""
VERIFIED: Final = Text("✓ ", style="bold green")
UNVERIFIED: Final = Text("• ", style="yellow")
PASSED_ON: Final = ("webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "user-agent")


@dataclass(frozen=True, slots=True)
class Listener:
    """Takes deliveries, shows them, and passes them on."""

    secret: bytes | None
    forward: str | None
    session: aiohttp.ClientSession
    clock: Clock

    async def take(self, request: web.Request) -> web.Response:
        """Answer one delivery: 400 where its signature is wrong, else 204 or what the other side says."""
        body = await request.read()
        flaw = self._flaw(request, body)
        verified = self.secret is not None
        show_delivery(request.headers.get("webhook-id", ""), body, flaw, verified=verified)
        if flaw:
            return web.Response(status=400, text=flaw)
        if self.forward is None:
            return web.Response(status=204)
        return await self._pass_on(request, body, self.forward)

    def _flaw(self, request: web.Request, body: bytes) -> str:
        if self.secret is None:
            return ""
        return flaw_of_delivery(self.secret, request.headers, body, now=self.clock.real_now())

    async def _pass_on(self, request: web.Request, body: bytes, to: str) -> web.Response:
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        try:
            async with self.session.post(to, data=body, headers=headers, allow_redirects=False) as answer:
                console.print(Text(f"  → {to} answered {answer.status}", style="dim"))
                return web.Response(status=answer.status, body=await answer.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as fault:
            console.print(Text(f"  → {to} did not answer: {fault}", style="bold red"))
            return web.Response(status=502, text="The address to forward to did not answer.")


def listen(
    *,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 9000,
    secret: Annotated[
        str,
        typer.Option(
            envvar="BINDERY_WEBHOOK_SECRET",
            metavar="whsec_…",
            help="Secret to verify with; without it signatures are not looked at.",
            show_default=False,
        ),
    ] = "",
    forward: Annotated[
        str, typer.Option("--forward", metavar="URL", help="Pass what is right on to this address.")
    ] = "",
) -> None:
    """Show webhooks as they come, until interrupted."""
    if forward and not forward.startswith(("http://", "https://")):
        refuse("--forward takes an address that begins with http:// or https://.")
    try:
        key = read_secret(secret) if secret else None
    except ValueError as fault:
        refuse(str(fault))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(port, key, forward or None))


async def _serve(port: int, secret: bytes | None, forward: str | None) -> None:
    timeout = aiohttp.ClientTimeout(total=FORWARD_WITHIN_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        listener = Listener(secret, forward, session, Clock())
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post("/{path:.*}", listener.take)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as fault:
            await runner.cleanup()
            refuse(f"Port {port} cannot be listened on: {fault.strerror}. Choose another with --port.")
        _greet(port, verifies=secret is not None, forward=forward)
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()


def _greet(port: int, *, verifies: bool, forward: str | None) -> None:
    console.print(f"Listening on [bold]http://{HOST}:{port}/[/]", highlight=False)
    if forward:
        console.print(Text(f"Forwarding to {forward}"))
    if not verifies:
        console.print(
            "[yellow]Signatures are not verified[/]: give --secret, as POST /v2/settings/webhook_secret "
            "answered it.",
            highlight=False,
        )
    console.print(
        f'Register it: POST /v2/webhooks {{"endpoint": "http://{HOST}:{port}/", "quote_level": true, '
        '"policy_level": true}',
        markup=False,
        highlight=False,
    )


def show_delivery(message_id: str, body: bytes, flaw: str, *, verified: bool) -> None:
    """Print one delivery: what it is and all that it says; a check mark means that its signature is right."""
    try:
        said = msgspec.json.decode(body)
        kind = str(said["type"])
    except (msgspec.DecodeError, KeyError, TypeError):
        console.print(Text(f"✗ {len(body)} bytes that are no event: {flaw or 'not JSON'}", style="bold red"))
        return
    mark = Text("✗ ", style="bold red") if flaw else VERIFIED if verified else UNVERIFIED
    console.print(mark + Text(f"{kind}  ", style="bold") + Text(message_id, style="dim"))
    if flaw:
        console.print(Text(f"  refused: {flaw}", style="bold red"))
    if "data" in said:
        console.print(JSON(msgspec.json.encode(said["data"]).decode(), indent=2))
