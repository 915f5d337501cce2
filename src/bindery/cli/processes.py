"""The long-running processes of a production installation."""

from typing import Annotated

import structlog
import typer

from bindery.api import server
from bindery.cli.common import DataOption, ready_runtime, run, settings_for, told_to_stop
from bindery.logs import configure_logs
from bindery.runtime import database_dsn, running
from bindery.worker.metrics_endpoint import metrics_endpoint
from bindery.worker.worker import run_worker, wait_for_database

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]

log = structlog.get_logger()


def serve(
    *,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    processes: Annotated[int, typer.Option(min=1, max=64, help="How many processes to serve with.")] = 1,
    data: DataOption = None,
) -> None:
    """Serve the API until stopped."""
    settings = settings_for(data)
    configure_logs(settings.log_level)

    async def check() -> None:
        async with ready_runtime(settings):
            pass

    run(check())
    server.serve(settings, host=host, port=port, processes=processes)


def work(
    *,
    concurrency: Annotated[int, typer.Option(min=1, max=500, help="Jobs to work on at once.")] = 20,
    data: DataOption = None,
) -> None:
    """Work on queued jobs until stopped; what is being worked on is finished first."""
    settings = settings_for(data)
    configure_logs(settings.log_level)

    async def live() -> None:
        with told_to_stop() as stop:
            dsn = database_dsn(settings)
            await wait_for_database(dsn, stop)
            if not stop.is_set():
                async with running(settings, dsn) as runtime, metrics_endpoint(runtime):
                    log.info("working", environment=settings.environment, concurrency=concurrency)
                    await run_worker(runtime, concurrency=concurrency, stop=stop)
            log.info("stopped")

    run(live())
