"""`bindery migrate`: as often and as many at once as one likes."""

import subprocess
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bindery.storage.revision import newest_revision
from support.postgres import create_database, drop_database
from support.processes import PROGRAM, Program


@pytest.fixture
async def empty(server: str, tmp_path: Path) -> AsyncIterator[Program]:
    """The command line on a database without a table, as people start it."""
    name = f"empty_{uuid.uuid4().hex}"
    dsn = await create_database(server, name)
    yield Program(tmp_path, {"BINDERY_DATABASE_URL": dsn}, forked=False)
    await drop_database(server, name)


def test_a_second_migration_finds_nothing_to_do(empty: Program) -> None:
    first = empty.run("migrate").good()
    second = empty.run("migrate").good()

    assert first == second == f"The database is at revision {newest_revision()}.\n"
    assert empty.run("token", "list").good().startswith("No tokens yet")


def test_two_migrations_at_once_end_well(empty: Program) -> None:
    both = [
        subprocess.Popen(
            [PROGRAM, "migrate"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=empty.folder,
            env=empty.environment(),
        )
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=240) for process in both]

    assert [process.returncode for process in both] == [0, 0], ended
    assert {stdout for stdout, _ in ended} == {f"The database is at revision {newest_revision()}.\n"}
