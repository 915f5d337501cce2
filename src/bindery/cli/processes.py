"""What the long-running processes of a production installation have in common."""

from contextlib import suppress
from typing import Annotated

import typer

from bindery.base.errors import Unreachable
from bindery.runtime import outside_parts
from bindery.settings import Settings
from bindery.storage import health

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]


async def check_start(settings: Settings, dsn: str) -> None:
    """Check that the settings make sense and that the database, if it is there, is ours.

    Raises:
        Misconfigured: a setting makes no sense, or the database does not let us in.
        InvalidRequest: it lacks this version's tables.
    """
    outside_parts(settings)
    # The process itself waits for one that is away, and says so in the meantime.
    with suppress(Unreachable):
        await health.check_database(dsn)
