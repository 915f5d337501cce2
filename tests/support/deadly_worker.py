"""A worker that its scanner kills, as a fault in a library would."""

import asyncio
import os
import signal
from dataclasses import replace
from typing import NoReturn

from bindery.logs import configure_logs
from bindery.own_database import database_dsn
from bindery.runtime import running
from bindery.settings import load_settings
from bindery.worker.worker import run_worker


class DeadlyScanner:
    """Ends the process without a word."""

    name = "deadly"
    is_worth_keeping = False

    async def scan_each(self, *_: object, **__: object) -> NoReturn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("nobody is left")


async def work() -> None:
    settings = load_settings()
    configure_logs("info")
    async with running(settings, database_dsn(settings)) as runtime:
        await run_worker(replace(runtime, scanner=DeadlyScanner()), concurrency=4)


asyncio.run(work())
