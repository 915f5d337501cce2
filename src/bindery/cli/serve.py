"""`bindery serve`; apart from `work`, so that neither has to import the other."""

from typing import Annotated

import typer

from bindery.cli.common import DataOption, run, settings_of_process
from bindery.cli.starting import HostOption, PortOption, check_start
from bindery.logs import configure_logs
from bindery.own_database import database_dsn
from bindery.server import serve as server


def serve(
    *,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    processes: Annotated[int, typer.Option(min=1, max=64, help="How many processes to serve with.")] = 1,
    data: DataOption = None,
) -> None:
    """Serve the API until stopped."""
    settings = settings_of_process(data)
    configure_logs(settings.log_level)
    dsn = database_dsn(settings)
    run(check_start(settings, dsn))
    server.serve(settings, dsn, host=host, port=port, processes=processes)
