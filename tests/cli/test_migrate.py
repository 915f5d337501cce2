"""`bindery migrate`: as often and as many at once as one likes."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from bindery.storage.revision import own_chain
from support.postgres import create_database, drop_database
from support.processes import Program


@pytest.fixture
async def empty(server: str, tmp_path: Path) -> AsyncIterator[Program]:
    """The command line on a database without a table."""
    name = f"empty_{uuid.uuid4().hex}"
    dsn = await create_database(server, name)
    yield Program(tmp_path, {"BINDERY_DATABASE_URL": dsn})
    await drop_database(server, name)


def test_a_second_migration_finds_nothing_to_do(empty: Program) -> None:
    first = replace(empty, forked=False).run("migrate").good()
    second = empty.run("migrate").good()

    assert first == second == f"The database is at revision {own_chain().newest}.\n"
    assert empty.run("token", "list").good().startswith("No tokens yet")


def test_expanding_and_contracting_are_steps_of_their_own(empty: Program) -> None:
    assert empty.run("migrate", "--expand").good() == f"The database is at revision {own_chain().newest}.\n"
    assert empty.run("migrate", "--contract").good() == f"The database is at revision {own_chain().newest}.\n"

    both = empty.run("migrate", "--expand", "--contract")

    assert (both.code, both.complaint) == (
        2,
        "--expand comes before the new processes and --contract after them: one at a time.",
    )


def test_two_migrations_at_once_end_well(empty: Program) -> None:
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: empty.run("migrate").good(), range(2)))

    assert both == [f"The database is at revision {own_chain().newest}.\n"] * 2
    assert asyncio.run(count(empty.variables["BINDERY_DATABASE_URL"], "select 1 from seal_certificates")) == 1


def test_a_migration_that_fails_is_one_sentence_and_changes_nothing(empty: Program) -> None:
    dsn = empty.variables["BINDERY_DATABASE_URL"]
    asyncio.run(execute(dsn, "create table quotes (somebody_elses integer)"))

    failed = empty.run("migrate")

    assert (failed.code, failed.stdout) == (1, "")
    sentence = 'The migration failed and changed nothing: relation "quotes" already exists.'
    assert failed.stderr == f"bindery: {sentence}\n"
    asyncio.run(execute(dsn, "drop table quotes"))
    assert empty.run("migrate").good() == f"The database is at revision {own_chain().newest}.\n"


async def count(dsn: str, statement: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return len(await connection.fetch(statement))
    finally:
        await connection.close()


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
