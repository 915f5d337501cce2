"""Shared by commands that read or change the database themselves, and by `serve` and `work`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, TypeVar

import structlog
import typer

from bindery.base.errors import DatabaseUnreachable
from bindery.cli.common import print_json, print_table, ready_runtime, run, say, settings_for
from bindery.runtime import Runtime, missing_in_production, outside_parts
from bindery.setting_sources import unknown_variables
from bindery.settings import Settings
from bindery.storage import health
from bindery.storage.database import Reader, Tx
from bindery.storage.replica import check_replica

T = TypeVar("T")
HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
log = structlog.get_logger()


def with_runtime(data: Path | None, work: Callable[[Runtime], Awaitable[T]]) -> T:
    async def working() -> T:
        async with ready_runtime(settings_for(data)) as runtime:
            return await work(runtime)

    return run(working())


def read(data: Path | None, work: Callable[[Reader], Awaitable[T]]) -> T:
    async def reading(runtime: Runtime) -> T:
        async with runtime.database.reading() as tx:
            return await work(tx)

    return with_runtime(data, reading)


def write(data: Path | None, work: Callable[[Tx], Awaitable[T]]) -> T:
    async def writing(runtime: Runtime) -> T:
        async with runtime.database.transaction() as tx:
            return await work(tx)

    return with_runtime(data, writing)


def show_records(
    records: Sequence[T], columns: Mapping[str, Callable[[T], str]], *, nothing: str, as_json: bool
) -> None:
    """Print records as JSON or as a table; `nothing` is the sentence for a person if there are none."""
    if as_json:
        print_json(records)
    elif records:
        print_table([*columns], [[cell(record) for cell in columns.values()] for record in records])
    else:
        say(nothing)


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
