"""Shared by commands that read or change the database themselves."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bindery.cli.common import (
    print_json,
    print_table,
    ready_database,
    ready_runtime,
    run,
    say,
    settings_for,
)
from bindery.storage.database import Database, Reader, Tx

if TYPE_CHECKING:
    from bindery.runtime import Runtime

T = TypeVar("T")


def with_runtime(data: Path | None, work: Callable[["Runtime"], Awaitable[T]]) -> T:
    async def working() -> T:
        async with ready_runtime(settings_for(data)) as runtime:
            return await work(runtime)

    return run(working())


def with_database(data: Path | None, work: Callable[[Database], Awaitable[T]]) -> T:
    """Run what needs nothing but the database, and start without the rest."""

    async def working() -> T:
        async with ready_database(settings_for(data)) as database:
            return await work(database)

    return run(working())


def read(data: Path | None, work: Callable[[Reader], Awaitable[T]]) -> T:
    async def reading(database: Database) -> T:
        async with database.reading() as tx:
            return await work(tx)

    return with_database(data, reading)


def write(data: Path | None, work: Callable[[Tx], Awaitable[T]]) -> T:
    async def writing(database: Database) -> T:
        async with database.transaction() as tx:
            return await work(tx)

    return with_database(data, writing)


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
