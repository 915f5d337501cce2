"""What the long-running processes of a production installation have in common."""

from contextlib import suppress
from typing import Annotated

import structlog
import typer

from bindery.base.errors import DatabaseUnreachable
from bindery.runtime import outside_parts
from bindery.settings import Settings, unknown_variables
from bindery.storage import health

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]

log = structlog.get_logger()


async def check_start(settings: Settings, dsn: str) -> None:
    """Check that the settings make sense and that the database, if it is there, is ours.

    Raises:
        Misconfigured: a setting makes no sense, or the database does not let us in.
        InvalidRequest: it lacks this version's tables.
    """
    for name, meant in unknown_variables().items():
        log.warning("setting_unknown", name=name, did_you_mean=meant)
    outside_parts(settings)
    # The process itself waits for one that is away, and says so in the meantime.
    with suppress(DatabaseUnreachable):
        await health.check_database(dsn)
