"""Speak with a server: does it answer, and does our database exist."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote

import asyncpg

from bindery.outside.embedded_postgres.watcher import ROLE

DATABASE: Final = "bindery"
_ANSWER_LIMIT_S: Final = 10.0
_CREATION_LOCK: Final = 5_742_197
_NOT_YET: Final = (
    OSError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresConnectionError,
)

Answer = TypeVar("Answer")


def make_dsn(socket_folder: Path, port: int, database: str = DATABASE) -> str:
    return f"postgresql://{ROLE}@/{database}?host={quote(str(socket_folder))}&port={port}"


def is_open(socket_folder: Path, port: int) -> bool:
    """Whether the server lets us into our database, making the database where it is missing."""
    return _wait_for(_is_open(socket_folder, port))


def ask_version(socket_folder: Path, port: int) -> str | None:
    return _wait_for(_ask_version(socket_folder, port))


def _wait_for(question: Coroutine[Any, Any, Answer]) -> Answer:
    # A thread of its own, because the caller's may already run an event loop.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, question).result()


async def _is_open(socket_folder: Path, port: int) -> bool:
    try:
        async with _connected(socket_folder, port, DATABASE):
            return True
    except asyncpg.InvalidCatalogNameError:
        return await _create_database(socket_folder, port)
    except asyncpg.TooManyConnectionsError:
        return True
    except _NOT_YET:
        return False


@asynccontextmanager
async def _connected(
    socket_folder: Path, port: int, database: str = "postgres"
) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn=make_dsn(socket_folder, port, database), timeout=_ANSWER_LIMIT_S)
    try:
        yield connection
    finally:
        await connection.close()


async def _create_database(socket_folder: Path, port: int) -> bool:
    try:
        async with _connected(socket_folder, port) as connection:
            # Two processes may attach to a new server at once; the second waits and finds the work done.
            await connection.execute("SELECT pg_advisory_lock($1)", _CREATION_LOCK)
            if not await connection.fetchval("SELECT true FROM pg_database WHERE datname = $1", DATABASE):
                await connection.execute(f"CREATE DATABASE {DATABASE}")
    except _NOT_YET:
        return False
    return True


async def _ask_version(socket_folder: Path, port: int) -> str | None:
    try:
        async with _connected(socket_folder, port) as connection:
            version = await connection.fetchval("SHOW server_version")
    except (*_NOT_YET, asyncpg.TooManyConnectionsError):
        return None
    # Distributions add their own name: `15.14 (Debian 15.14-0+deb12u1)`.
    return str(version).split(maxsplit=1)[0]
