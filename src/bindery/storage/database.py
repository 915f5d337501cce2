import random
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import asyncpg

from bindery.base.clock import Clock
from bindery.base.errors import Misconfigured
from bindery.base.ids import uuid7
from bindery.metrics import pool_connections, pool_connections_in_use, pool_connections_max, pool_waiting

UNAVAILABLE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.TooManyConnectionsError,
    # What a server says that stops, starts, or has lost one of its processes.
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)
"""What is raised while the database cannot be reached."""

UNREACHABLE = (*UNAVAILABLE, asyncpg.PostgresError, ValueError)
"""What is raised by a first connection: nobody there, nobody let in, or an address that is none."""

Connection: TypeAlias = (
    "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
)


@dataclass(frozen=True, slots=True)
class Tx:
    """A database connection and the moment it works at; inside `transaction`, all or nothing."""

    connection: Connection
    now: datetime
    rng: random.Random

    def new_id(self) -> uuid.UUID:
        """Make an id that sorts by time."""
        return uuid7(self.now, self.rng)


class Database:
    """The pool of connections, and the business time that transactions see."""

    def __init__(
        self, pool: "asyncpg.Pool[asyncpg.Record]", clock: Clock, rng: random.Random, *, clock_moves: bool
    ) -> None:
        self.pool = pool
        self.clock = clock
        self.rng = rng
        self._clock_moves = clock_moves
        self._waiting = 0

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        """Work in one transaction."""
        async with self._connection() as connection, connection.transaction():
            yield await self._tx(connection)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Tx]:
        """Read; each statement sees the newest committed state."""
        async with self._connection() as connection:
            yield await self._tx(connection)

    async def now(self) -> datetime:
        """Give the business time outside any transaction."""
        if not self._clock_moves:
            return self.clock.now()
        async with self.reading() as tx:
            return tx.now

    def sample_pool(self) -> None:
        """Set the metrics of the pool."""
        pool_connections.set(self.pool.get_size())
        pool_connections_in_use.set(self.pool.get_size() - self.pool.get_idle_size())
        pool_connections_max.set(self.pool.get_max_size())
        pool_waiting.set(self._waiting)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        self._waiting += 1
        try:
            connection = await self.pool.acquire()
        finally:
            self._waiting -= 1
        try:
            yield connection
        finally:
            await self.pool.release(connection)

    async def _tx(self, connection: Connection) -> Tx:
        if self._clock_moves:
            # The demo's clock is shared by all processes, so its offset is read where the work happens.
            ahead: timedelta = await connection.fetchval("select ahead from service_clock")
            self.clock.offset = ahead
        return Tx(connection, self.clock.now(), self.rng)


@asynccontextmanager
async def connected(
    dsn: str, clock: Clock, rng: random.Random, *, pool_size: int, clock_moves: bool
) -> AsyncIterator[Database]:
    """Hold a pool open.

    Raises:
        Misconfigured: the database cannot be reached to begin with.
    """
    pool = asyncpg.create_pool(
        dsn,
        min_size=1,
        max_size=pool_size,
        command_timeout=60,
        server_settings={"application_name": "bindery", "jit": "off", "timezone": "UTC"},
    )
    try:
        await pool
    except UNREACHABLE as fault:
        raise Misconfigured(f"The database cannot be reached: {fault}") from fault
    async with pool:
        yield Database(pool, clock, rng, clock_moves=clock_moves)
