"""The listening connection of a process: the notices of the database, and whether it is there at all."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

import asyncpg
import structlog

from bindery.storage.hosts import HostPort, hosts_of, without_hosts
from bindery.storage.revision import own_chain, tables_of

OUTAGE: Final = (
    # Among them refused and reset connections, and every time limit of ours.
    OSError,
    asyncpg.PostgresConnectionError,
    # The server stops, starts, has lost one of its processes, or cancels what takes too long.
    asyncpg.OperatorInterventionError,
    # The client's own words for a connection that broke in the middle of something.
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""Raised when the server is away or does not answer."""

REFUSED: Final = (asyncpg.PostgresError, ValueError)
"""What else a first connection raises: access denied, or an address that is not valid."""

BEAT_EVERY_S: Final = 0.2
"""How long somebody waits for the server before it is asked whether it is there."""
QUIET_BEAT_EVERY_S: Final = 10.0
"""How often it is asked while nobody waits for it."""
LOOK_EVERY_S: Final = 0.25
BEAT_LOOKS: Final = 5
CONNECT_LOOKS: Final = 8
"""An answer that is not there after this many looks will not come.

Looks and not seconds: when this process itself was held up, the answer is there at the first look afterwards.
"""
SHORTEST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 1.0

log = structlog.get_logger()

T = TypeVar("T")


class NeverCanceled(asyncpg.Connection[asyncpg.Record] if TYPE_CHECKING else asyncpg.Connection):  # type: ignore[misc] # generic for the checker alone
    """A connection that is dropped where a statement is given up, and asks the server to cancel nothing.

    A commit that waits for its standby and is canceled is there, as if nothing were wrong, and gone after a
    failover. Dropped, it goes on waiting: nobody sees it before the standby has it.
    """

    def _cancel_current_command(
        self, waiter: "asyncio.Future[None]", cancel_waiter: "asyncio.Future[None] | None" = None
    ) -> None:
        self.terminate()
        for waiting in (waiter, cancel_waiter):
            if waiting is not None and not waiting.done():
                waiting.set_result(None)


class DatabaseAway(ConnectionError):
    """The database was found to be away; nobody needs to try and wait."""


class NoPrimary(ConnectionError):
    """None of the servers of an address takes writes; the message has what each of them answered."""


class Watch:
    """Know whether the database is there, and pass on its notices.

    One beat every moment on one connection decides for the whole process. A statement may therefore take its
    time on a server that answers, and nobody waits for one that does not. While nobody waits for the server,
    it is asked rarely: an idle process costs next to nothing.
    """

    def __init__(self, dsn: str, *, revive: Callable[[], Awaitable[None]] | None = None) -> None:
        self.dsn = dsn
        self.is_receiving = False
        self._revive = revive
        self._fault: BaseException | None = None
        self._since = 0.0
        self._refused_for = ""
        self._channels: dict[str, list[Callable[[str], None]]] = {}
        self._gap_callbacks: list[Callable[[], None]] = []
        self._outage_callbacks: list[Callable[[], None]] = []
        self._looked = asyncio.Event()
        self._users = 0
        self._is_dozing = False
        self._woken = asyncio.Event()

    def on_notice(self, channel: str, receive: Callable[[str], None]) -> None:
        self._channels.setdefault(channel, []).append(receive)

    def on_gap(self, missed: Callable[[], None]) -> None:
        """Call this whenever listening begins or ends: notices may have been missed."""
        self._gap_callbacks.append(missed)

    def on_outage(self, drop: Callable[[], None]) -> None:
        """Call this when the database is found to be away: nothing asked of it will be answered."""
        self._outage_callbacks.append(drop)

    @contextlib.contextmanager
    def receiving(
        self, channel: str, receive: Callable[[str], None], missed: Callable[[], None]
    ) -> Iterator[None]:
        """Receive the notices of a channel for a while; `missed` is called when some may have been missed."""
        self._channels.setdefault(channel, []).append(receive)
        self._gap_callbacks.append(missed)
        self._woken.set()
        try:
            yield
        finally:
            self._channels[channel].remove(receive)
            self._gap_callbacks.remove(missed)

    @contextlib.contextmanager
    def waited_for(self) -> Iterator[None]:
        """Ask the server more often: somebody waits for it."""
        self._users += 1
        if self._is_dozing:
            self._woken.set()
        try:
            yield
        finally:
            self._users -= 1

    @property
    def is_away(self) -> bool:
        return self._fault is not None

    def check_there(self) -> None:
        if self._fault is not None:
            raise DatabaseAway(_words(self._fault))

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Watch as long as this is open; it opens after the first look, whatever that finds."""
        task = asyncio.create_task(self._watch())
        try:
            await self._looked.wait()
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        pause_s = SHORTEST_PAUSE_S
        while True:
            try:
                await self._listen()
                pause_s = SHORTEST_PAUSE_S
            except OUTAGE as fault:
                self._begin_outage(fault)
            except REFUSED as fault:
                self._be_refused(fault)
            finally:
                self._stop_receiving()
                self._looked.set()
            if self.is_away and self._revive is not None:
                await self._try_to_revive(self._revive)
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _try_to_revive(self, revive: Callable[[], Awaitable[None]]) -> None:
        try:
            await revive()
        except Exception:
            # Whatever it was, the database may come back by other means, and is looked for.
            log.exception("revive_crashed")

    async def _listen(self) -> None:
        connection = await connect(self.dsn, server_settings={"application_name": "bindery-listener"})
        try:
            connection.add_termination_listener(lambda _: self._woken.set())
            received: set[str] = set()
            while not connection.is_closed():
                if self._channels.keys() - received or not self.is_receiving:
                    for channel in self._channels.keys() - received:
                        await in_time(connection.add_listener(channel, self._receive), BEAT_LOOKS)
                        received.add(channel)
                    await _beat(connection)
                    self._start_receiving()
                if await self._until_beat(connection, received):
                    await _beat(connection)
        finally:
            connection.terminate()

    async def _until_beat(self, connection: "asyncpg.Connection[asyncpg.Record]", received: set[str]) -> bool:
        """Wait until it is time to ask the server; False where something else is to do first.

        A connection that is used is looked at once in a while and not at each use, which would cost each
        request a turn of the event loop.
        """
        dozes_until = time.monotonic() + QUIET_BEAT_EVERY_S
        while (left_s := dozes_until - time.monotonic()) > 0:
            self._woken.clear()
            if connection.is_closed() or self._channels.keys() - received:
                return False
            self._is_dozing = not self._users
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._woken.wait(), timeout=left_s if self._is_dozing else BEAT_EVERY_S
                )
            was_dozing, self._is_dozing = self._is_dozing, False
            if self._users and not was_dozing:
                break
        return not connection.is_closed()

    def _receive(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        for receive in self._channels[channel]:
            receive(str(payload))

    def _start_receiving(self) -> None:
        if self._fault is not None:
            log.info("database_back", seconds=round(time.monotonic() - self._since, 1))
            self._fault = None
        self._refused_for = ""
        self.is_receiving = True
        self._report_gap()
        self._looked.set()

    def _stop_receiving(self) -> None:
        if self.is_receiving:
            self.is_receiving = False
            self._report_gap()

    def _report_gap(self) -> None:
        for missed in self._gap_callbacks:
            missed()

    def _begin_outage(self, fault: BaseException) -> None:
        if self._fault is None:
            self._since = time.monotonic()
            log.error("database_unavailable", reason=_words(fault))
        self._fault = fault
        for drop in self._outage_callbacks:
            drop()

    def _be_refused(self, fault: BaseException) -> None:
        """Treat a refusal as an outage unless others of this process's connections were let in before."""
        if not self._looked.is_set() or self._fault is not None:
            self._begin_outage(fault)
        elif _words(fault) != self._refused_for:
            self._refused_for = _words(fault)
            log.warning("listener_refused", reason=self._refused_for)


async def _beat(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Check that the server answers and takes writes, and that no newer version has changed its tables.

    Raises:
        DatabaseAway: it is a standby by now, or one has; for this process the database is as good as away.
        TimeoutError: the server does not answer.
    """
    tables = await in_time(tables_of(connection), BEAT_LOOKS)
    if own_chain().is_newer(tables):
        raise DatabaseAway(own_chain().flaw_of(tables))
    # The server reports it with the connection and again when it changes, without being asked.
    if connection.get_settings().in_hot_standby == "on":
        raise DatabaseAway("the server has become a standby")


_primaries: dict[str, HostPort] = {}
"""The server of each address that took writes last: the first to be asked, since most often it still does."""


async def connect(*arguments: Any, **options: Any) -> "asyncpg.Connection[asyncpg.Record]":  # noqa: ANN401 - asyncpg's own
    """Connect to the server that takes writes, whichever of the address that is.

    Each server has two seconds to let us in, so that one that swallows packets does not hide the others.

    Raises:
        TimeoutError: the only server of the address does not answer.
        NoPrimary: it names several, and none of them takes writes.
    """
    (dsn,) = arguments
    options["connection_class"] = NeverCanceled
    hosts = hosts_of(dsn)
    if not hosts:
        return await connect_in_time(dsn, **options)
    last = _primaries.get(dsn)
    answers: dict[HostPort, BaseException] = {}
    for host in sorted(hosts, key=lambda one: one != last):
        try:
            connection = await connect_in_time(dsn, host, target_session_attrs="primary", **options)
        except (*OUTAGE, asyncpg.InsufficientResourcesError) as fault:
            answers[host] = fault
        else:
            _primaries[dsn] = host
            return connection
    said = "; ".join(f"{host}: {_words(answers[host])}" for host in hosts)
    raise NoPrimary(f"none of the servers takes writes ({said})")


async def connect_in_time(
    dsn: str,
    host: HostPort | None = None,
    **options: Any,  # noqa: ANN401 - asyncpg's own
) -> "asyncpg.Connection[asyncpg.Record]":
    """Connect within two seconds; to one of the servers of an address, where it names several.

    Raises:
        TimeoutError: no server of the address answered.
    """
    if host is not None:
        dsn = without_hosts(dsn)
        options |= {"host": host.name, "port": host.port}
    connecting = asyncpg.connect(dsn, **options)
    return await in_time(connecting, CONNECT_LOOKS, discard=lambda connection: connection.terminate())


async def in_time(
    answer: Coroutine[Any, Any, T], looks: int, *, discard: Callable[[T], None] = lambda _: None
) -> T:
    """Wait for something that the server should answer, for a limited number of looks.

    An answer that is there just when its caller is canceled reaches nobody; it is given to `discard`.

    Raises:
        TimeoutError: it was not there at the last one.
    """
    coming = asyncio.ensure_future(answer)
    is_given_up = True
    try:
        for _ in range(looks):
            if (await asyncio.wait({coming}, timeout=LOOK_EVERY_S))[0]:
                is_given_up = False
                return coming.result()
    finally:
        if is_given_up:
            coming.cancel()
            coming.add_done_callback(lambda ended: _discard_result(ended, discard))
    raise TimeoutError("the server does not answer")


def _discard_result(ended: "asyncio.Future[T]", discard: Callable[[T], None]) -> None:
    # One that failed has nothing to discard, and asking for its exception keeps asyncio from reporting it.
    if not ended.cancelled() and ended.exception() is None:
        discard(ended.result())


def _words(fault: BaseException) -> str:
    return str(fault) or type(fault).__name__
