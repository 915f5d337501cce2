import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Final

import asyncpg

from bindery.base.clock import Clock
from bindery.base.ids import uuid7
from bindery.storage.database import UNAVAILABLE, Database
from bindery.storage.operations import processes
from bindery.storage.operations.processes import LivingProcess, ProcessKind
from bindery.storage.revision import own_chain

BEATS_EVERY_S: Final = 20.0


@contextlib.asynccontextmanager
async def process_row(database: Database, kind: ProcessKind) -> AsyncIterator[None]:
    """Keep a row that says that this process is alive, so that no upgrade takes away what it uses."""
    process = LivingProcess(
        uuid7(Clock.real_now(), database.rng),
        kind,
        socket.gethostname(),
        version("bindery"),
        own_chain().newest,
    )
    beating = asyncio.create_task(_beat(database, process))
    try:
        yield
    finally:
        beating.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beating
        with contextlib.suppress(*UNAVAILABLE, asyncpg.PostgresError):
            async with database.autocommit() as tx:
                await processes.leave(tx, process)


async def _beat(database: Database, process: LivingProcess) -> None:
    while True:
        with contextlib.suppress(*UNAVAILABLE, asyncpg.PostgresError):
            async with database.autocommit() as tx:
                await processes.beat(tx, process)
        await asyncio.sleep(BEATS_EVERY_S)
