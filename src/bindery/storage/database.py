import asyncio
import contextlib
import random
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import asyncpg
import msgspec

from bindery.base.batching import Batcher
from bindery.base.clock import Clock
from bindery.base.ids import uuid7
from bindery.domain.business_rules import Calendar
from bindery.metrics import pool_connections, pool_connections_in_use, pool_connections_max, pool_waiting
from bindery.storage.replica import WRITTEN, Replica
from bindery.storage.revision import Tables, own_chain, tables_of
from bindery.storage.watch import OUTAGE, DatabaseAway, Watch, connect

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")


def columns_of(kind: "type[DataclassInstance]") -> str:
    return ", ".join(field.name for field in fields(kind))


def values_of(record: "DataclassInstance") -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def value_lists(records: Sequence[object], *names: str) -> list[list[Any]]:
    """Return the values of records as one array for each column; those of a missing record are None."""
    return [[record and getattr(record, name) for record in records] for name in names]


def of_table(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{column.strip()}" for column in columns.split(","))


def read_row(kind: type[Row], row: asyncpg.Record, **read: object) -> Row:
    """Return a row as a record, texts as enums and arrays as tuples; `read` are fields read apart from it."""
    return msgspec.convert({**row, **read}, kind)


UNAVAILABLE: Final = (
    *OUTAGE,
    # Disk or memory full, too many connections.
    asyncpg.InsufficientResourcesError,
    # The disk fails.
    asyncpg.PostgresSystemError,
    # A server that was the primary until a moment ago.
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    # Two transactions waited for each other, and this one was rolled back: nothing of it has happened.
    asyncpg.DeadlockDetectedError,
    # Not let in any more: a password or the name of the database was changed.
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)
"""Raised while the database cannot work, and may be able to in a moment."""


def is_outage(fault: BaseException) -> bool:
    """Whether a fault only says that something is away, so that trying again later is all there is to do."""
    if isinstance(fault, BaseExceptionGroup):
        return all(is_outage(inner) for inner in fault.exceptions)
    # A wrong argument to a statement is an InterfaceError as well, and a bug.
    return isinstance(fault, UNAVAILABLE) and not isinstance(fault, ValueError)


ACQUIRE_WITHIN_S: Final = 10.0
"""How long to wait for one of the pool's connections while the others are busy on a server that answers."""

STATEMENT_WITHIN_S: Final = 60.0
MOST_WHO_ASK: Final = 1_000
CLOSE_WITHIN_S: Final = 2.0

Connection: TypeAlias = (
    "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Reader:
    """A database connection to read by, and the business time and date at which it reads.

    `ahead` is how far that time is ahead of the real one; only the demo moves it.
    """

    connection: Connection
    now: datetime
    today: date
    ahead: timedelta

    @property
    def real_now(self) -> datetime:
        return self.now - self.ahead

    async def rows(self, kind: type[Row], statement: str, *values: object) -> list[Row]:
        """Return rows as records, whose fields are named as the columns."""
        found = await self.connection.fetch(statement, *values)
        # All at once: msgspec looks through the type of a record once, and not for each row.
        return msgspec.convert([dict(row.items()) for row in found], list[kind])  # type: ignore[valid-type]

    async def row(self, kind: type[Row], statement: str, *values: object) -> Row | None:
        row = await self.connection.fetchrow(statement, *values)
        return None if row is None else read_row(kind, row)

    async def column(self, kind: type[Value], statement: str, *values: object) -> list[Value]:
        found: list[Value] = [row[0] for row in await self.connection.fetch(statement, *values)]
        assert all(isinstance(value, kind) for value in found[:1]), f"a column of {kind.__name__}"
        return found

    async def find_value(self, kind: type[Value], statement: str, *values: object) -> Value | None:
        found: Value | None = await self.connection.fetchval(statement, *values)
        assert found is None or isinstance(found, kind), f"a value of {kind.__name__}"
        return found

    async def value(self, kind: type[Value], statement: str, *values: object) -> Value:
        found = await self.find_value(kind, statement, *values)
        assert found is not None, "a statement that always has a value"
        return found


@dataclass(frozen=True, slots=True)
class Tx(Reader):
    rng: random.Random
    calendar: Calendar

    def new_id(self) -> uuid.UUID:
        return uuid7(self.now, self.rng)

    @asynccontextmanager
    async def trial(self) -> AsyncIterator[None]:
        """Do something for a look at what comes of it, and take it back."""
        inner = self.connection.transaction()
        await inner.start()
        try:
            yield
        finally:
            await inner.rollback()

    async def execute(self, statement: str, *values: object) -> int:
        status = await self.connection.execute(statement, *values)
        return int(status.rpartition(" ")[2])

    async def insert(self, table: str, row: Mapping[str, object], *, otherwise: str = "") -> int:
        """Add a row, given by its columns, and return how many were added; `otherwise` is for conflicts."""
        places = ", ".join(f"${place}" for place in range(1, len(row) + 1))
        statement = f"insert into {table} ({', '.join(row)}) values ({places}) {otherwise}"
        return await self.execute(statement, *row.values())

    async def update(self, table: str, which: Mapping[str, object], **changes: object) -> int:
        columns = (*which, *changes)
        places = [f"{column} = ${place}" for place, column in enumerate(columns, start=1)]
        sets, wheres = ", ".join(places[len(which) :]), " and ".join(places[: len(which)])
        statement = f"update {table} set {sets} where {wheres}"
        return await self.execute(statement, *which.values(), *changes.values())


class Database:
    def __init__(
        self,
        pool: "asyncpg.Pool[asyncpg.Record]",
        watch: Watch,
        clock: Clock,
        rng: random.Random,
        *,
        clock_moves: bool,
        calendar: Calendar,
    ) -> None:
        self.pool = pool
        self.watch = watch
        self.rng = rng
        self._clock = clock
        self._clock_moves = clock_moves
        self._calendar = calendar
        self._has_tables = False
        self._in_use: set[asyncpg.pool.PoolConnectionProxy[asyncpg.Record]] = set()
        self._acquiring: set[asyncio.Timeout] = set()
        self.replica: Replica | None = None
        # Readers that come at the same time share one question to the primary.
        self._written: Batcher[None, int] = Batcher(self._ask_how_far, most=MOST_WHO_ASK)
        watch.on_outage(self._drop)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        async with self.connection() as connection, connection.transaction():
            yield await self._tx(connection)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Reader]:
        """Read; each statement sees the newest committed state."""
        async with self.connection() as connection:
            yield await self._reader(connection)

    async def read(self, ask: Callable[[Reader], Awaitable[Value]], *, is_snapshot: bool = False) -> Value:
        """Read what a standby may answer as well; it is asked again of the primary when the standby cannot.

        The standby answers when it has everything that was committed before this began, by whatever process:
        nobody is shown less than anybody was told.
        """
        if self.replica is not None and self.replica.is_fit:
            # Its faults, and a row that the primary has cleared away meanwhile.
            with contextlib.suppress(*UNAVAILABLE, asyncpg.SerializationError):
                async with (
                    self.replica.connection(await self.written()) as connection,
                    _frozen(connection) if is_snapshot else contextlib.nullcontext(),
                ):
                    return await ask(await self._reader(connection))
        async with self.snapshot() if is_snapshot else self.reading() as tx:
            return await ask(tx)

    async def written(self) -> int:
        """Return how far the primary has written what standbys follow it by."""
        return await self._written.do(None)

    async def _ask_how_far(self, readers: list[None]) -> list[int | Exception]:
        async with self.connection() as connection:
            written: int = await connection.fetchval(WRITTEN)
        return [written] * len(readers)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        """Read one committed state with every statement, however long that takes; writers go on."""
        async with self.connection() as connection, _frozen(connection):
            yield await self._reader(connection)

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[Tx]:
        """Write statements that stand alone, each of which is all or nothing by itself."""
        async with self.connection() as connection:
            yield await self._tx(connection)

    async def now(self) -> datetime:
        if not self._clock_moves:
            return self._clock.real_now()
        async with self.reading() as tx:
            return tx.now

    async def today(self) -> date:
        return self._calendar.day_of(await self.now())

    def sample_pool(self) -> None:
        pool_connections.set(self.pool.get_size())
        pool_connections_in_use.set(self.pool.get_size() - self.pool.get_idle_size())
        pool_connections_max.set(self.pool.get_max_size())
        pool_waiting.set(len(self._acquiring))

    async def find_tables(self) -> Tables:
        async with self._any_connection() as connection:
            return await tables_of(connection)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection for statements that stand alone and need no business time."""
        async with self._any_connection() as connection:
            if not self._has_tables:
                # A process may be started before its database is, and must not work on another's tables.
                if flaw := own_chain().flaw_of(await tables_of(connection)):
                    raise DatabaseAway(flaw)
                self._has_tables = True
            yield connection

    @asynccontextmanager
    async def _any_connection(self) -> AsyncIterator[Connection]:
        self.watch.check_there()
        with self.watch.waited_for():
            async with asyncio.timeout(ACQUIRE_WITHIN_S) as limit:
                self._acquiring.add(limit)
                try:
                    connection = await self.pool.acquire()
                finally:
                    self._acquiring.discard(limit)
            self._in_use.add(connection)
            try:
                yield connection
            except asyncpg.ReadOnlySQLTransactionError:
                # The server is a standby by now: nobody is to be lent this connection again.
                connection.terminate()
                raise
            finally:
                try:
                    await self.pool.release(connection)
                finally:
                    self._in_use.discard(connection)

    def _drop(self) -> None:
        """Cancel everything that waits for a server that is away."""
        for limit in self._acquiring:
            if not limit.expired():
                limit.reschedule(0)
        for connection in list(self._in_use):
            with contextlib.suppress(asyncpg.InterfaceError):  # released in this very moment
                connection.terminate()

    async def _tx(self, connection: Connection) -> Tx:
        at = await self._reader(connection)
        return Tx(connection, at.now, at.today, at.ahead, self.rng, self._calendar)

    async def _reader(self, connection: Connection) -> Reader:
        ahead = timedelta()
        if self._clock_moves:
            # The demo's clock is shared by all processes, so its offset is read where the work happens.
            ahead = await connection.fetchval("select ahead from service_clock")
        now = self._clock.real_now() + ahead
        return Reader(connection, now, self._calendar.day_of(now), ahead)


@asynccontextmanager
async def connected(
    watch: Watch,
    clock: Clock,
    rng: random.Random,
    *,
    pool_size: int,
    clock_moves: bool,
    calendar: Calendar,
    replica_dsn: str = "",
    pooler_dsn: str = "",
) -> AsyncIterator[Database]:
    """Open a pool for the block, even while the database is away; connections are made on demand."""
    options: dict[str, Any] = {  # asyncpg's own
        "reset": _leave_as_it_is,
        "min_size": 0,
        "max_size": pool_size,
        "command_timeout": STATEMENT_WITHIN_S,
        "server_settings": {"application_name": "bindery", "jit": "off", "timezone": "UTC"},
    }
    # A statement that was prepared on one server is not there on the next, and PgBouncer knows no `jit`.
    settings = {"application_name": "bindery", "timezone": "UTC"}
    through = {**options, "statement_cache_size": 0, "server_settings": settings} if pooler_dsn else options
    pool = asyncpg.create_pool(pooler_dsn or watch.dsn, connect=connect, **through)
    await pool
    database = Database(pool, watch, clock, rng, clock_moves=clock_moves, calendar=calendar)
    if replica_dsn:
        database.replica = Replica(replica_dsn, watch.dsn, database.written, options)
    try:
        yield database
    finally:
        if database.replica is not None:
            await database.replica.close()
        with contextlib.suppress(TimeoutError):
            # A server that does not answer is not waited for; the pool drops its connections then.
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await pool.close()


def _frozen(connection: Connection) -> "asyncpg.transaction.Transaction":
    """Have every statement of the block see one committed state."""
    return connection.transaction(isolation="repeatable_read", readonly=True)


async def _leave_as_it_is(_connection: Connection) -> None:
    """Ask the server for nothing when a connection goes back, which saves a round trip each time.

    Nothing of ours outlives its transaction: settings are `set local`, advisory locks are `xact` locks, and
    listeners have a connection outside the pool. The pool has rolled back any open transaction before.
    """
