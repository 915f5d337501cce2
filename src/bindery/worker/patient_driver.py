"""The engine's way to the database: while that is away, statements wait for it instead of failing."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final, Self, TypeVar

import asyncpg
import structlog
from pgqueuer.core.tm import TaskManager
from pgqueuer.domain.models import TableChangedEvent
from pgqueuer.domain.types import Channel
from pgqueuer.ports.driver import Driver, NotifyCallback

from bindery.storage.database import Connection, is_outage
from bindery.storage.watch import Watch, connect

T = TypeVar("T")

PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Between one try to reach the database and the next; the last of them for as long as it takes."""

ANSWERS_WITHIN_S: Final = 30.0
MOST_CONNECTIONS: Final = 4

log = structlog.get_logger()


class PatientDriver(Driver):
    """Runs PgQueuer's statements, each for as long as it takes, until the worker is told to stop.

    Any of them may run twice, since the answer to the first may have been lost. PgQueuer's bear that: jobs
    that a lost answer had taken are worked on by nobody, and are taken again when their heartbeat is old.
    """

    def __init__(
        self,
        pool: "asyncpg.Pool[asyncpg.Record]",
        watch: Watch,
        stop: asyncio.Event,
        *,
        on_lost: Callable[[], None],
    ) -> None:
        self._pool = pool
        self._watch = watch
        self._stop = stop
        self._on_lost = on_lost
        self._lost_at: float | None = None
        self._listening = contextlib.ExitStack()
        self._shutdown = asyncio.Event()
        self._tm = TaskManager()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        return [dict(row) for row in await self._patiently(partial(self._pool.fetch, query, *args))]

    async def execute(self, query: str, *args: object) -> str:
        return await self._patiently(partial(self._pool.execute, query, *args))

    async def notify(self, channel: str, payload: str) -> None:
        await self.execute("select pg_notify($1, $2)", channel, payload)

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        """Listen while the driver is open, on the connection that the process listens on anyway.

        After a gap in which notices may have been missed, the engine is made to look for itself.
        """

        def look() -> None:
            change = TableChangedEvent(
                channel=Channel(channel),
                # Nobody asks when.
                sent_at=datetime.fromtimestamp(0, UTC),
                type="table_changed_event",
                operation="update",
                table="pgqueuer",
            )
            callback(change.model_dump_json())

        self._listening.enter_context(self._watch.receiving(channel, callback, look))

    async def _patiently(self, run: Callable[[], Awaitable[T]]) -> T:
        tries = 0
        while True:
            try:
                # Tables that a newer version has changed answer as ever, and are not ours any more.
                self._watch.check_there()
                result = await run()
            except Exception as fault:
                if not is_outage(fault) or self._stop.is_set():
                    raise
                self._lose(fault)
            else:
                self._find()
                return result
            await sleep_unless(self._stop, PAUSES_S[min(tries, len(PAUSES_S) - 1)])
            tries += 1

    def _lose(self, fault: BaseException) -> None:
        if self._lost_at is None:
            self._lost_at = time.monotonic()
            log.warning("worker_interrupted", reason=f"{type(fault).__name__}: {fault}")
        self._on_lost()

    def _find(self) -> None:
        if self._lost_at is not None:
            log.warning("worker_resumed", seconds=round(time.monotonic() - self._lost_at, 1))
            self._lost_at = None

    @property
    def shutdown(self) -> asyncio.Event:
        return self._shutdown

    @property
    def tm(self) -> TaskManager:
        return self._tm

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave it open: the two halves of the engine share it, and its opener closes it."""

    def close(self) -> None:
        """Drop every connection at once, also those to a server that does not answer."""
        self._listening.close()
        self._pool.terminate()


@contextlib.asynccontextmanager
async def patient_driver(
    watch: Watch, stop: asyncio.Event, *, on_lost: Callable[[], None]
) -> AsyncIterator[PatientDriver]:
    """Open a driver for the time of the block; it connects when it is first used."""
    # A pool of its own: the jobs' use of the database must not delay the engine's heartbeats.
    pool = await asyncpg.create_pool(
        watch.dsn,
        connect=connect,
        reset=_leave_as_it_is,
        min_size=0,
        max_size=MOST_CONNECTIONS,
        command_timeout=ANSWERS_WITHIN_S,
        server_settings={"application_name": "bindery-queue", "jit": "off"},
    )
    driver = PatientDriver(pool, watch, stop, on_lost=on_lost)
    try:
        yield driver
    finally:
        driver.close()


async def sleep_unless(stop: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), timeout=seconds)


async def first_of(*events: asyncio.Event, within_s: float) -> None:
    """Sleep until one of the events comes, at most `within_s`."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


async def _leave_as_it_is(_connection: Connection) -> None:
    """Ask the server for nothing when a connection goes back: PgQueuer's statements leave nothing behind."""
