"""The long-running processes of a production installation."""

from contextlib import suppress
from typing import Annotated

import structlog
import typer

from bindery.base.errors import Unreachable
from bindery.base.memory import keep_for_good
from bindery.cli.common import DataOption, run, settings_for, told_to_stop, unless_stopped
from bindery.logs import configure_logs
from bindery.runtime import database_dsn, outside_parts, running
from bindery.server import serve as server
from bindery.settings import Settings
from bindery.storage import health
from bindery.worker.metrics_endpoint import metrics_endpoint
from bindery.worker.worker import run_worker

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]

PRESS_NICENESS = 5
"""How much the presses of a worker yield to the API and to jobs that partners wait for."""

log = structlog.get_logger()


def serve(
    *,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    processes: Annotated[int, typer.Option(min=1, max=64, help="How many processes to start.")] = 1,
    data: DataOption = None,
) -> None:
    """Serve the API until stopped."""
    settings = settings_for(data)
    configure_logs(settings.log_level)
    dsn = database_dsn(settings)
    run(_check_start(settings, dsn))
    server.serve(settings, dsn, host=host, port=port, processes=processes)


def work(
    *,
    concurrency: Annotated[int, typer.Option(min=1, max=500, help="Jobs to work on at once.")] = 20,
    data: DataOption = None,
) -> None:
    """Work on queued jobs until stopped; what is being worked on is finished first."""
    settings = settings_for(data)
    configure_logs(settings.log_level)
    dsn = database_dsn(settings)

    async def live() -> None:
        await _check_start(settings, dsn)
        with told_to_stop() as stop:
            async with (
                running(settings, dsn, press_niceness=PRESS_NICENESS) as runtime,
                metrics_endpoint(runtime),
            ):
                log.info("working", environment=settings.environment, concurrency=concurrency)
                if await unless_stopped(health.wait_until_ready(runtime.database), stop):
                    keep_for_good()
                    await run_worker(runtime, concurrency=concurrency, stop=stop)
                log.info("stopped")

    run(live())


async def _check_start(settings: Settings, dsn: str) -> None:
    """Check that the settings make sense and that the database, if it is there, is ours.

    Raises:
        Misconfigured: a setting makes no sense, or the database does not let us in.
        InvalidRequest: it lacks this version's tables.
    """
    outside_parts(settings)
    # The process itself waits for one that is away, and says so in the meantime.
    with suppress(Unreachable):
        await health.check_database(dsn)
