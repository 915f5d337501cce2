"""What a connection costs, and what it leaves behind."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from bindery.settings import Environment
from bindery.storage.database import Reader, Tx
from support.service import Service, serving
from support.statements import statements_of


@pytest.fixture
async def narrow(dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service in production with a single connection in its pool."""
    settings = {"environment": Environment.PRODUCTION, "base_url": "https://service.example/v2"}
    async with serving(dsn, tmp_path, pool_size=1, **settings) as opened:
        yield opened


async def test_a_connection_is_taken_and_given_back_without_a_statement(narrow: Service) -> None:
    async with statements_of(narrow) as sent:
        async with narrow.runtime.database.reading() as tx:
            await tx.connection.execute("select 1")
        async with narrow.runtime.database.transaction() as tx:
            await tx.connection.execute("select 2")

    assert sent == ["select 1", "BEGIN;", "select 2", "COMMIT;"]


async def test_the_demos_clock_costs_nothing_where_nobody_needs_the_time(dsn: str, tmp_path: Path) -> None:
    async with (
        serving(dsn, tmp_path, pool_size=1) as demo,
        statements_of(demo) as sent,
        demo.runtime.database.connection() as connection,
    ):
        await connection.execute("select 1")

    assert sent == ["select 1"]


async def test_the_next_to_have_a_connection_finds_it_as_new(narrow: Service) -> None:
    async def fail() -> None:
        async with narrow.runtime.database.transaction() as tx:
            await tx.connection.execute("set local synchronous_commit = off")
            await tx.connection.execute("select pg_advisory_xact_lock(17)")
            await tx.connection.execute("create table unfinished (number int)")
            await tx.connection.execute("select 1 / 0")

    with pytest.raises(asyncpg.DivisionByZeroError):
        await fail()

    async with narrow.runtime.database.reading() as tx:
        left = await tx.connection.fetchrow(
            """
            select current_setting('synchronous_commit') as setting, to_regclass('unfinished') as made,
                   (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())
                       as locks
            """
        )
    assert left is not None
    assert dict(left) == {"setting": "on", "made": None, "locks": 0}


async def test_a_transaction_that_was_left_open_is_rolled_back(narrow: Service) -> None:
    async with narrow.runtime.database.connection() as connection:
        await connection.execute("begin")
        await connection.execute("create table unfinished (number int)")

    async with narrow.runtime.database.connection() as connection:
        assert await connection.fetchval("select to_regclass('unfinished')") is None


async def test_whoever_only_reads_has_nothing_in_hand_to_write_with(narrow: Service) -> None:
    database = narrow.runtime.database

    async with database.reading() as reader:
        assert type(reader) is Reader
        assert reader.today == narrow.runtime.rules.day_of(reader.now)
    async with database.transaction() as tx:
        assert type(tx) is Tx
    async with database.autocommit() as alone:
        assert type(alone) is Tx
