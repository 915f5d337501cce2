"""`bindery work`; apart from `serve`, so that neither has to import the other."""

from typing import Annotated, Final

import structlog
import typer

from bindery.base.memory import keep_for_good
from bindery.cli.common import DataOption, run, settings_of_process, stop_on_signal, unless_stopped
from bindery.cli.starting import check_start
from bindery.logs import configure_logs
from bindery.memory.process_row import process_row
from bindery.outside.traces import exporting_traces
from bindery.own_database import database_dsn
from bindery.runtime import running
from bindery.storage import health
from bindery.storage.operations.processes import ProcessKind
from bindery.worker.metrics_endpoint import metrics_endpoint
from bindery.worker.worker import run_worker

PRESS_NICENESS: Final = 5
"""Keeps typesetting from slowing the API and the jobs that partners wait for."""

log = structlog.get_logger()


def work(
    *,
    concurrency: Annotated[int, typer.Option(min=1, max=500, help="Jobs to work on at once.")] = 20,
    data: DataOption = None,
) -> None:
    """Work on queued jobs until stopped; what is being worked on is finished first."""
    settings = settings_of_process(data)
    configure_logs(settings.log_level)
    dsn = database_dsn(settings)

    async def live() -> None:
        await check_start(settings, dsn)
        with stop_on_signal() as stop:
            async with (
                exporting_traces(ProcessKind.WORK),
                running(settings, dsn, press_niceness=PRESS_NICENESS) as runtime,
                metrics_endpoint(runtime),
                process_row(runtime.database, ProcessKind.WORK),
            ):
                log.info("working", environment=settings.environment, concurrency=concurrency)
                if await unless_stopped(health.wait_until_ready(runtime.database), stop):
                    keep_for_good()
                    await run_worker(runtime, concurrency=concurrency, stop=stop)
                log.info("stopped")

    run(live())
