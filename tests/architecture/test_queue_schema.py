"""The queue's tables are PgQueuer's; an upgrade that changes them must not pass unseen."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import asyncpg
import pytest

from bindery.storage.jobs import queue
from support.service import Service
from support.source_tree import PACKAGE

PGQ = Path(sys.executable).with_name("pgq")
INSTALLED = PACKAGE / "storage" / "migrations" / "versions" / "0100_queue.sql"
COLUMNS_WE_FILL = {
    "priority": "integer",
    "entrypoint": "text",
    "payload": "bytea",
    "status": "pgq.pgqueuer_status",
    "dedupe_key": "text",
    "headers": "jsonb",
}


def test_the_migration_is_what_the_installed_pgqueuer_would_make() -> None:
    """A difference means that PgQueuer was upgraded: add a migration from `pgq sql upgrade`."""
    printed = subprocess.run(
        [str(PGQ), "--schema", "pgq", "sql", "install"],
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PG", "PGQ"))},
    )

    assert INSTALLED.read_text().strip() == printed.stdout.strip()


def test_we_name_the_columns_we_fill_in_one_place() -> None:
    assert [name.strip() for name in queue.ENQUEUE_COLUMNS.split(",")] == list(COLUMNS_WE_FILL)


async def test_the_columns_we_fill_have_the_types_we_use(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            """
            select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required,
                   atthasdef as has_default
            from pg_attribute where attrelid = 'pgq.pgqueuer'::regclass and attnum > 0 and not attisdropped
            """
        )
    finally:
        await connection.close()

    types = {row["name"]: row["type"] for row in rows}
    left_to_the_queue = [row for row in rows if row["name"] not in COLUMNS_WE_FILL]
    assert {name: types.get(name) for name in COLUMNS_WE_FILL} == COLUMNS_WE_FILL
    assert [row["name"] for row in left_to_the_queue if row["required"] and not row["has_default"]] == []


ONE, TWO, THREE = (str(uuid.UUID(int=number)) for number in (1, 2, 3))


async def test_a_job_is_queued_once_while_it_waits(service: Service) -> None:
    async with service.runtime.database.transaction() as tx:
        first = await queue.enqueue(tx, "some_job", [ONE, TWO])
        second = await queue.enqueue(tx, "some_job", [TWO, THREE])

    assert (first, second) == (2, 1)
    rows = await service.runtime.database.pool.fetch(
        "select entrypoint, payload, status::text from pgq.pgqueuer order by id"
    )
    assert [tuple(row) for row in rows] == [
        ("some_job", ONE.encode(), "queued"),
        ("some_job", TWO.encode(), "queued"),
        ("some_job", THREE.encode(), "queued"),
    ]


async def test_a_job_of_a_transaction_that_fails_was_never_queued(service: Service) -> None:
    async def fail() -> None:
        async with service.runtime.database.transaction() as tx:
            await queue.enqueue(tx, "some_job", [ONE])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert await service.count("pgq.pgqueuer") == 0
