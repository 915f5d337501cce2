"""Databases that one test after the other begins with, as if each were a new copy of its template.

A copy, three connections to it and what each of them has to learn about the tables take a fifth of a second
of processor time, and most tests take less. So a database is kept: after a test its rows and sequences are
those of the template again, and its connections, which know the tables by now, wait for the next test.

What cannot be put back safely is dropped: a database whose tables a test has changed, or one that somebody
still uses.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import asyncpg

from support.postgres import create_database, drop_database

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

MOST_TESTS = 100
"""Rows that were removed take room, which is looked through until nobody keeps them."""
LOOKS = 20
LOOK_EVERY_S = 0.01
"""How long the server may take to notice that a connection was closed."""

PREPARE = """
create schema kept;
create table kept.changes (command text);
do $prepare$
declare
    work text := '';
    one record;
    count bigint;
    at text;
begin
    for one in
        select format('%I.%I', n.nspname, c.relname) as name, format('kept.%I', c.oid) as copy,
               (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
               ) as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname in ('public', 'pgq')
    loop
        execute format('select count(*) from %s', one.name) into count;
        if count = 0 then
            work := work || format('if exists (select from %1$s) then delete from %1$s; end if;', one.name);
        else
            execute format('create table %s as select %s from %s', one.copy, one.columns, one.name);
            work := work || format(
                'if (select count(*) <> %2$s or bool_or(xmin::text::bigint > since) from %1$s) then '
                'delete from %1$s; '
                'insert into %1$s (%3$s) overriding system value select %3$s from %4$s; '
                'end if;',
                one.name, count, one.columns, one.copy
            );
        end if;
    end loop;
    for one in
        select format('%I.%I', n.nspname, c.relname) as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'S' and n.nspname in ('public', 'pgq')
    loop
        execute format('select format(%L, last_value, is_called) from %s', '%s, %L', one.name) into at;
        work := work || format(
            'if (select (last_value, is_called) <> (%2$s) from %1$s) then '
            'perform setval(%3$L, %2$s); '
            'end if;',
            one.name, at, one.name
        );
    end loop;
    execute format(
        'create function kept.restore(since bigint) returns bigint language plpgsql '
        'set session_replication_role = replica as %L',
        'begin ' || work || ' return pg_current_xact_id()::text::bigint; end'
    );
end
$prepare$;
create function kept.note() returns event_trigger language plpgsql as $note$
begin
    insert into kept.changes values (tg_tag);
end
$note$;
create event trigger kept_note on ddl_command_start execute function kept.note();
"""
"""Writes the function that puts the template's rows back, and notices whether tables are changed."""

IS_AS_IT_WAS = "select not exists (select from kept.changes)"
# The connection of a process that listens writes nothing, and ends a moment after its process.
IS_LEFT_ALONE = """
select not exists (
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid <> pg_backend_pid() and pid <> all($1::int[]) and application_name <> 'bindery-listener'
)
"""


@dataclass
class KeptDatabase:
    template: str
    name: str
    dsn: str
    loop: asyncio.AbstractEventLoop
    keeper: Connection
    restored: int = 0
    tests: int = 0
    idle: dict[str, list["KeptConnection"]] = field(default_factory=dict)

    def connections(self) -> list["KeptConnection"]:
        """Return those that wait."""
        return [waits for alike in self.idle.values() for waits in alike if not waits.is_closed()]


_lent: dict[str, KeptDatabase] = {}
"""The databases that tests have at the moment, by their addresses."""
_connect: Callable[..., Awaitable[Any]] = asyncpg.connect


class KeptConnection(asyncpg.Connection):
    """A connection that waits for the next test when its pool is closed."""

    database: KeptDatabase
    options: str

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as asyncpg's
        if self._is_of_use():
            await self.reset(timeout=timeout)
            self._leave()
        else:
            await super().close(timeout=timeout)

    def terminate(self) -> None:
        # PgQueuer's statements leave nothing behind, and its pool is terminated instead of closed.
        if "bindery-queue" in self.options and self._is_of_use() and not self._inside._listeners:
            self._leave()
        else:
            super().terminate()

    def _is_of_use(self) -> bool:
        holder = self._holder
        is_lent = _lent.get(self.database.dsn) is self.database
        is_idle = holder is None or holder.is_idle()
        return is_lent and is_idle and not self.is_closed() and not self.is_in_transaction()

    def _leave(self) -> None:
        holder, self._inside._pool_holder = self._holder, None
        if holder is not None:
            holder._release_on_close()
        self.database.idle.setdefault(self.options, []).append(self)

    @property
    def _holder(self) -> Any:
        """Return its place in a pool, if it has one."""
        reference = self._inside._pool_holder
        return reference and reference()

    @property
    def _inside(self) -> Any:
        """Return itself with what asyncpg keeps from others."""
        return self


async def connect(dsn: str | None = None, **options: Any) -> Any:
    """Connect as asyncpg does, or take a connection that was left by an earlier test."""
    database = _lent.get(dsn or options.get("dsn", ""))
    if database is None or database.loop is not asyncio.get_running_loop():
        return await _connect(dsn, **options)
    asked = {
        name: value for name, value in options.items() if name not in {"dsn", "loop", "connection_class"}
    }
    alike = database.idle.get(repr(asked), [])
    while alike:
        if not (connection := alike.pop()).is_closed():
            return connection
    made: KeptConnection = await _connect(database.dsn, **{**asked, "connection_class": KeptConnection})
    made.database, made.options = database, repr(asked)
    return made


class KeptDatabases:
    """The databases of one process of the tests, all on one event loop."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._waiting: dict[str, list[KeptDatabase]] = {}

    @asynccontextmanager
    async def lent(self, template: str, *, is_new: bool = False) -> AsyncIterator[str]:
        """Lend a database for a test, and put it back or drop it afterwards."""
        waiting = self._waiting.setdefault(template, [])
        database = waiting.pop() if waiting and not is_new else await self._make(template)
        _lent[database.dsn] = database
        try:
            yield database.dsn
        finally:
            del _lent[database.dsn]
            if await self._put_back(database):
                waiting.append(database)
            else:
                await self._drop(database)

    async def close(self) -> None:
        for database in [database for waiting in self._waiting.values() for database in waiting]:
            await self._drop(database)

    async def _make(self, template: str) -> KeptDatabase:
        name = f"test_{uuid.uuid4().hex}"
        dsn = await create_database(self._server, name, template=template)
        keeper = await _connect(dsn)
        await keeper.execute(PREPARE)
        restored = await keeper.fetchval("select pg_current_xact_id()::text::bigint")
        return KeptDatabase(template, name, dsn, asyncio.get_running_loop(), keeper, restored)

    async def _put_back(self, database: KeptDatabase) -> bool:
        database.tests += 1
        keeper = database.keeper
        if database.tests >= MOST_TESTS or keeper.is_closed() or not await keeper.fetchval(IS_AS_IT_WAS):
            return False
        ours = [connection.get_server_pid() for connection in database.connections()]
        for _ in range(LOOKS):
            if await keeper.fetchval(IS_LEFT_ALONE, ours):
                database.restored = await keeper.fetchval("select kept.restore($1)", database.restored)
                return True
            await asyncio.sleep(LOOK_EVERY_S)
        return False

    async def _drop(self, database: KeptDatabase) -> None:
        for connection in (*database.connections(), database.keeper):
            connection.terminate()
        await drop_database(self._server, database.name)


@asynccontextmanager
async def kept_databases(server: str) -> AsyncIterator[KeptDatabases]:
    """Have the connections of this process to kept databases kept too, until the block ends."""
    databases = KeptDatabases(server)
    for module in (asyncpg, asyncpg.connection):
        module.connect = connect  # type: ignore[attr-defined] # nobody else can keep them
    try:
        yield databases
    finally:
        for module in (asyncpg, asyncpg.connection):
            module.connect = _connect  # type: ignore[attr-defined] # as above
        await databases.close()
