"""Serving the application with uvicorn, in one process or several."""

import errno
import os
import signal
import socket
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from types import FrameType
from typing import Any

import structlog
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bindery.base.errors import Misconfigured
from bindery.base.memory import keep_for_good
from bindery.logs import configure_logs
from bindery.memory.process_row import process_row
from bindery.metrics import FOLDER
from bindery.outside.traces import exporting_traces
from bindery.own_database import database_dsn
from bindery.runtime import Runtime, running
from bindery.server.app import create_app
from bindery.server.connections import LimitedConnection, Share
from bindery.server.prefork import LEAVING, Beat, end_with_parent
from bindery.server.supervisor import Supervisor
from bindery.settings import Settings, load_settings
from bindery.storage.operations.processes import ProcessKind

SHUTDOWN_S = 15
BACKLOG = 2048
FAREWELL_S = 3.0
"""How long an idle connection may still send a request while the process ends."""
BEAT_EVERY_S = 1
log = structlog.get_logger()


def serve(settings: Settings, dsn: str, *, host: str, port: int, processes: int) -> None:
    """Serve until stopped; copies of the process share nothing but the database."""
    with ExitStack() as stack:
        listening = stack.enter_context(listening_socket(host, port))
        log.info("serving", environment=settings.environment, host=host, port=port, processes=processes)
        if processes == 1:
            _serve_here(settings, dsn, listening)
            return
        if FOLDER not in os.environ:
            os.environ[FOLDER] = stack.enter_context(tempfile.TemporaryDirectory(prefix="bindery-metrics-"))
        serve_copy = partial(_serve_copy, settings, dsn, listening)
        Supervisor(
            serve_copy,
            processes,
            ends_within_s=SHUTDOWN_S + 5,
            listening=listening,
            drains_for_s=settings.drain_seconds,
        ).run()


def _serve_copy(settings: Settings, dsn: str, listening: socket.socket, beat: Beat) -> None:
    configure_logs(settings.log_level)
    end_with_parent()
    _serve_here(settings, dsn, listening, beat=beat)


def _serve_here(settings: Settings, dsn: str, listening: socket.socket, *, beat: Beat | None = None) -> None:
    async def tell_alive() -> None:
        if beat is not None:
            beat()

    app = _WithLifespan(settings, dsn)
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        app,
        # Otherwise a start that fails is taken for an application without one, and served broken.
        lifespan="on",
        callback_notify=tell_alive,
        timeout_notify=BEAT_EVERY_S,
        **uvicorn_options(host, port, settings),
    )
    # Of several processes the supervisor decides when they end.
    drains_for_s = settings.drain_seconds if beat is None else 0
    Server(config, app.let_go, app.leave, drains_for_s=drains_for_s).run(sockets=[listening])


class Server(uvicorn.Server):
    """A server that is asked to end, ends in good order, and has then done what it was asked.

    Told by SIGTERM, it serves on for a while in which it is not ready, so that load balancers turn away;
    another signal ends that. SIGUSR1 says only that it will be told. From then on each answer is the last of
    its connection, and says so; SIGINT waits for nobody who has not sent a request.
    """

    server_state: Share

    def __init__(
        self,
        config: uvicorn.Config,
        let_go: Callable[[], None],
        leave: Callable[[], None],
        *,
        drains_for_s: float = 0,
    ) -> None:
        super().__init__(config)
        self.server_state = Share()
        self._let_go = let_go
        self._leave = leave
        self._drains_for_s = drains_for_s
        self._ends_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.server_state.leave(0 if sig == signal.SIGINT else FAREWELL_S)
        if sig == LEAVING:
            self._leave()
        elif sig == signal.SIGTERM and self._drains_for_s and self._ends_at is None:
            self._leave()
            self._ends_at = time.monotonic() + self._drains_for_s
            log.info("draining", seconds=self._drains_for_s)
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        if self._ends_at is not None and time.monotonic() >= self._ends_at:
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer those who are being kept waiting, then finish what is under way."""
        if self.server_state.leaving_since is None:
            self.server_state.leave(0)
        self._let_go()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on a signal, and do not raise it again: that would look like a process that was killed."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, LEAVING)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listening_socket(host: str, port: int) -> socket.socket:
    """Take a port before anything else is started."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as fault:
        why = "another process listens there" if fault.errno == errno.EADDRINUSE else fault.strerror
        raise Misconfigured(f"Cannot listen on {host} port {port}: {why}.") from fault


def uvicorn_options(host: str, port: int, settings: Settings) -> dict[str, Any]:
    return {
        "host": host,
        "port": port,
        "loop": "uvloop",
        "http": LimitedConnection,
        "ws": "none",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "forwarded_allow_ips": list(settings.trusted_proxies),
        "timeout_graceful_shutdown": SHUTDOWN_S,
    }


def app_from_environment() -> ASGIApp:
    """Make the application from environment variables, for a server that is started by other means."""
    settings = load_settings()
    configure_logs(settings.log_level)
    return _WithLifespan(settings, database_dsn(settings))


class _WithLifespan:
    def __init__(self, settings: Settings, dsn: str) -> None:
        self._settings = settings
        self._dsn = dsn
        self._runtime: Runtime | None = None
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        assert self._app is not None, "the server starts the application before it serves"
        await self._app(scope, receive, send)

    def let_go(self) -> None:
        if self._runtime is not None:
            self._runtime.let_go()

    def leave(self) -> None:
        if self._runtime is not None:
            self._runtime.leaving.set()

    async def _live(self, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        async with AsyncExitStack() as stack:
            await receive()
            try:
                await stack.enter_async_context(exporting_traces(ProcessKind.SERVE))
                self._runtime = await stack.enter_async_context(running(self._settings, self._dsn))
            except Exception as fault:
                await send({"type": "lifespan.startup.failed", "message": str(fault)})
                raise
            await stack.enter_async_context(process_row(self._runtime.database, ProcessKind.SERVE))
            self._app = create_app(self._runtime)
            keep_for_good()
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
