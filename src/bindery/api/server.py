"""Serving the application with uvicorn, in one process or several."""

import os
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bindery.api.app import create_app
from bindery.logs import configure_logs
from bindery.runtime import database_dsn, running
from bindery.settings import Settings, load_settings

SHUTDOWN_S = 15


def serve(settings: Settings, *, host: str, port: int, processes: int) -> None:
    """Serve until stopped; processes after the first are copies that share nothing but the database."""
    # The copies read their settings from the environment, so what the command line said goes there.
    os.environ["BINDERY_DATA_DIR"] = str(settings.data_dir.resolve())
    if processes > 1:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="bindery-metrics-"))
    configure_logs(settings.log_level)
    uvicorn.run(
        "bindery.api.server:app_from_environment",
        factory=True,
        workers=processes,
        **uvicorn_options(host, port),
    )


def uvicorn_options(host: str, port: int) -> dict[str, Any]:
    """Give the options every server of ours runs with."""
    return {
        "host": host,
        "port": port,
        "loop": "uvloop",
        "http": "httptools",
        "ws": "none",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "timeout_graceful_shutdown": SHUTDOWN_S,
    }


def app_from_environment() -> ASGIApp:
    """Make the application of one process from its environment variables."""
    settings = load_settings()
    configure_logs(settings.log_level)
    return _WithLifespan(settings)


class _WithLifespan:
    """Open the runtime when the server starts and close it when it stops."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        assert self._app is not None, "the server starts the application before it serves"
        await self._app(scope, receive, send)

    async def _live(self, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        async with AsyncExitStack() as stack:
            await receive()
            try:
                runtime = await stack.enter_async_context(
                    running(self._settings, database_dsn(self._settings))
                )
            except Exception as fault:
                await send({"type": "lifespan.startup.failed", "message": str(fault)})
                raise
            self._app = create_app(runtime)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
