"""Serving the application with uvicorn, in one process or several."""

import errno
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from multiprocessing import connection
from typing import Any

import structlog
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.supervisors import Multiprocess

from bindery.api.app import create_app
from bindery.api.connections import Connection
from bindery.base.errors import Misconfigured
from bindery.logs import configure_logs
from bindery.runtime import database_dsn, running
from bindery.settings import Settings, load_settings

SHUTDOWN_S = 15
BACKLOG = 2048
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
log = structlog.get_logger()


def serve(settings: Settings, *, host: str, port: int, processes: int) -> None:
    """Serve until stopped; processes after the first are copies that share nothing but the database.

    Raises:
        Misconfigured: the port is taken.
    """
    # The copies read their settings from the environment, so what the command line said goes there.
    os.environ["BINDERY_DATA_DIR"] = str(settings.data_dir.resolve())
    config = uvicorn.Config(
        "bindery.api.server:app_from_environment",
        factory=True,
        workers=processes,
        # Otherwise a start that fails is taken for an application without one, and served broken.
        lifespan="on",
        **uvicorn_options(host, port),
    )
    with ExitStack() as stack:
        listening = stack.enter_context(listening_socket(host, port))
        # A signal ends a server as it should be ended; nobody needs to be told of an interrupt.
        stack.enter_context(suppress(KeyboardInterrupt))
        log.info("serving", environment=settings.environment, host=host, port=port, processes=processes)
        if processes > 1:
            if METRICS_FOLDER not in os.environ:
                os.environ[METRICS_FOLDER] = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="bindery-metrics-")
                )
            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])


def listening_socket(host: str, port: int) -> socket.socket:
    """Take a port before anything else is started.

    Raises:
        Misconfigured: somebody has it, or the address is not one of this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as fault:
        why = "another process listens there" if fault.errno == errno.EADDRINUSE else fault.strerror
        raise Misconfigured(f"{host} port {port} cannot be listened on: {why}.") from fault


def uvicorn_options(host: str, port: int) -> dict[str, Any]:
    """Give the options every server of ours runs with."""
    return {
        "host": host,
        "port": port,
        "loop": "uvloop",
        "http": Connection,
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
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    return _WithLifespan(settings)


def _end_with(parent_sentinel: int) -> None:
    """End this copy in good order when the process that started it is gone, so that none is left behind."""
    connection.wait([parent_sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


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
