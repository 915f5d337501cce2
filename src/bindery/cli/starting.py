"""Shared by the commands that start processes which stay."""

from contextlib import suppress
from typing import Annotated

import structlog
import typer

from bindery.base.errors import DatabaseUnreachable
from bindery.runtime import missing_in_production, outside_parts
from bindery.setting_sources import unknown_variables
from bindery.settings import Settings
from bindery.storage import health
from bindery.storage.replica import check_replica

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
log = structlog.get_logger()


async def check_start(settings: Settings, dsn: str) -> None:
    """Check that the settings make sense and that the database, if it is there, is ours."""
    for name, meant in unknown_variables().items():
        log.warning("setting_unknown", name=name, did_you_mean=meant)
    for name, sentence in missing_in_production(settings).items():
        log.warning("setting_missing", name=name, message=sentence)
    outside_parts(settings)
    # The process itself waits for one that is away, and says so in the meantime.
    with suppress(DatabaseUnreachable):
        await health.check_database(dsn)
        if settings.database_pooled:
            await health.check_direct(dsn)
        if settings.replica_url:
            await check_replica(settings.replica_url, dsn)
