"""A standby to read from, as long as it has what the primary has."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import asyncpg
import structlog

from bindery.base.errors import Misconfigured
from bindery.storage.hosts import HostPort, hosts_of
from bindery.storage.watch import BEAT_LOOKS, OUTAGE, REFUSED, connect, connect_in_time, in_time

MOST_BEHIND: Final = 16 * 1024 * 1024
"""A standby that lacks more than this is not asked until it has caught up."""
BEAT_EVERY_S: Final = 1.0
PAUSE_S: Final = 1.0
ACQUIRE_WITHIN_S: Final = 1.0
LOOKS_AFTER_S: Final = (0.001, 0.002, 0.004, 0.008, 0.016)
"""When a reader looks again whether the standby has come as far as the primary: milliseconds behind it."""

WRITTEN: Final = "select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint"
"""How far the primary has written: every commit that anybody was told of is before that."""
_REPLAYED: Final = """
select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint where pg_is_in_recovery()
"""
_SYSTEM: Final = "select system_identifier from pg_control_system()"

log = structlog.get_logger()

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Pooled: TypeAlias = "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"


class Unfit(ConnectionError):
    """The standby is not to be read from now; the message says why."""


class Replica:
    """Look after a standby, and lend connections to it that show what was committed before a position.

    Readers do not wait for one that is away or behind: the look finds it out, and they go to the primary. It
    begins with the first reader, so that a process that reads nothing of the kind costs nothing.
    """

    def __init__(
        self,
        dsn: str,
        primary: str,
        written: Callable[[], Awaitable[int]],
        pool_options: Mapping[str, Any],
    ) -> None:
        self._dsn = dsn
        self._primary = primary
        self._written = written
        self._pool_options = pool_options
        # Each process prefers another one of several.
        self._hosts: list[HostPort | None] = [*hosts_of(dsn)] or [None]
        random.SystemRandom().shuffle(self._hosts)
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._in_use: set[Pooled] = set()
        self._looking: asyncio.Task[None] | None = None
        self._is_told = False

    @property
    def is_fit(self) -> bool:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        return self._pool is not None

    @contextlib.asynccontextmanager
    async def connection(self, position: int) -> AsyncIterator[Pooled]:
        """Lend a connection that shows everything that was committed before a position.

        Raises:
            Unfit: it has not come so far in time, or is not to be read from.
        """
        pool = self._pool
        if pool is None:
            raise Unfit("no standby is fit to be read from")
        async with asyncio.timeout(ACQUIRE_WITHIN_S):
            connection = await pool.acquire()
        self._in_use.add(connection)
        try:
            await _wait_for(connection, position)
            yield connection
        finally:
            self._in_use.discard(connection)
            await pool.release(connection)

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
        self._drop()

    async def _look(self) -> None:
        while True:
            reasons = []
            for host in self._hosts:
                try:
                    await self._look_after(host)
                except (*OUTAGE, *REFUSED, Misconfigured) as fault:
                    where = f"{host}: " if host else ""
                    reasons.append(f"{where}{str(fault) or type(fault).__name__}")
                finally:
                    self._drop()
            if not self._is_told:
                log.warning("replica_unfit", reason="; ".join(reasons))
                self._is_told = True
            await asyncio.sleep(PAUSE_S)

    async def _look_after(self, host: HostPort | None) -> None:
        """Have a standby read from for as long as it is fit to.

        Raises:
            Unfit: it is no standby, or lacks too much.
        """
        connection = await connect_standby(
            host, self._dsn, server_settings={"application_name": "bindery-look"}
        )
        try:
            await check_same_system(connection, self._primary)
            while True:
                replayed = await in_time(connection.fetchval(_REPLAYED), BEAT_LOOKS)
                _check_near(replayed, await self._written())
                await self._open(host)
                await asyncio.sleep(BEAT_EVERY_S)
        finally:
            connection.terminate()

    async def _open(self, host: HostPort | None) -> None:
        if self._pool is None:

            async def connect_here(*arguments: Any, **options: Any) -> Connection:  # noqa: ANN401 - asyncpg's own
                return await connect_standby(host, *arguments, **options)

            self._pool = await asyncpg.create_pool(self._dsn, connect=connect_here, **self._pool_options)
            if self._is_told:
                log.info("replica_back")
                self._is_told = False

    def _drop(self) -> None:
        """Let nobody wait for a standby that was found unfit."""
        pool, self._pool = self._pool, None
        for connection in list(self._in_use):
            with contextlib.suppress(asyncpg.InterfaceError):  # released in this very moment
                connection.terminate()
        if pool is not None:
            pool.terminate()


async def connect_standby(host: HostPort | None, dsn: str, **options: Any) -> Connection:  # noqa: ANN401 - asyncpg's own
    return await connect_in_time(dsn, host, target_session_attrs="standby", **options)


async def _wait_for(connection: Pooled, position: int) -> None:
    for pause_s in (*LOOKS_AFTER_S, None):
        replayed = await in_time(connection.fetchval(_REPLAYED), BEAT_LOOKS)
        if replayed is None:
            raise Unfit("it is no standby any more")
        if replayed >= position:
            return
        if pause_s is not None:
            await asyncio.sleep(pause_s)
    raise Unfit("it has not caught up in time")


def _check_near(replayed: int | None, written: int) -> None:
    if replayed is None:
        raise Unfit("it is no standby any more")
    if replayed > written:
        raise Unfit("it has what the primary lacks: the two have gone different ways")
    if (behind := written - replayed) > MOST_BEHIND:
        raise Unfit(f"it is {behind / 1024 / 1024:,.0f} MB behind the primary")


async def check_replica(dsn: str, primary: str) -> None:
    """Check that no server of an address belongs to another system than the primary; one that is away may.

    Raises:
        Misconfigured: one does.
    """
    for host in hosts_of(dsn) or (None,):
        try:
            connection = await connect_in_time(dsn, host)
        except asyncpg.ClientConfigurationError as fault:
            raise Misconfigured(f"BINDERY_REPLICA_URL cannot be read: {fault}") from fault
        except (*OUTAGE, *REFUSED):
            continue
        try:
            await check_same_system(connection, primary)
        finally:
            connection.terminate()


async def check_same_system(replica: Connection, primary: str) -> None:
    """Check that two servers have come from the same one.

    Raises:
        Misconfigured: they have not.
    """
    connection = await connect(primary)
    try:
        theirs, ours = [await in_time(asked.fetchval(_SYSTEM), BEAT_LOOKS) for asked in (replica, connection)]
    except asyncpg.InsufficientPrivilegeError:
        # Some who run PostgreSQL for others do not show it.
        return
    finally:
        connection.terminate()
    if theirs != ours:
        raise Misconfigured(
            "BINDERY_REPLICA_URL leads to another system than BINDERY_DATABASE_URL: its identifier is "
            f"{theirs}, that of the primary {ours}."
        )
