"""The worker's own `/metrics`, `/livez` and `/readyz`, on a port that the settings name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from bindery.base.errors import Misconfigured
from bindery.domain.access.tokens import bearer_of, is_same_secret
from bindery.metrics import CONTENT_TYPE, exposition
from bindery.runtime import Runtime
from bindery.storage import health


@asynccontextmanager
async def metrics_endpoint(runtime: Runtime) -> AsyncIterator[None]:
    """Answer while the block runs, if a port is set; only the metrics ask for the token."""
    settings = runtime.settings
    if not settings.metrics_port:
        yield
        return

    async def show(request: web.Request) -> web.Response:
        if not _may_see(request, settings.metrics_token):
            return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"})
        return web.Response(
            body=exposition(await runtime.backlog.read()), headers={"Content-Type": CONTENT_TYPE}
        )

    async def live(_request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def ready(_request: web.Request) -> web.Response:
        if await health.is_ready_in_time(runtime.database):
            return web.Response(text="ready\n")
        return web.Response(text="not ready\n", status=503)

    app = web.Application()
    app.router.add_get("/metrics", show)
    app.router.add_get("/livez", live)
    app.router.add_get("/readyz", ready)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, settings.metrics_host, settings.metrics_port).start()
        except OSError as fault:
            raise Misconfigured(
                f"BINDERY_METRICS_PORT: cannot listen on {settings.metrics_host} port "
                f"{settings.metrics_port}: {fault.strerror}."
            ) from fault
        yield
    finally:
        await runner.cleanup()


def _may_see(request: web.Request, token: str) -> bool:
    return not token or is_same_secret(bearer_of(request.headers.get("Authorization", "")), token)
