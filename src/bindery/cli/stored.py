"""What the commands share that read or change the database themselves."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from bindery.cli.common import print_json, print_table, ready_runtime, run, say, settings_for
from bindery.runtime import Runtime
from bindery.storage.database import Reader, Tx

T = TypeVar("T")


def with_runtime(data: Path | None, work: Callable[[Runtime], Awaitable[T]]) -> T:
    """Do something with the database of a data folder, or with the one that is configured."""

    async def working() -> T:
        async with ready_runtime(settings_for(data)) as runtime:
            return await work(runtime)

    return run(working())


def read(data: Path | None, work: Callable[[Reader], Awaitable[T]]) -> T:
    """Read from that database."""

    async def reading(runtime: Runtime) -> T:
        async with runtime.database.reading() as tx:
            return await work(tx)

    return with_runtime(data, reading)


def write(data: Path | None, work: Callable[[Tx], Awaitable[T]]) -> T:
    """Change something in that database, in one transaction."""

    async def writing(runtime: Runtime) -> T:
        async with runtime.database.transaction() as tx:
            return await work(tx)

    return with_runtime(data, writing)


def show_records(
    records: Sequence[T], columns: Mapping[str, Callable[[T], str]], *, nothing: str, as_json: bool
) -> None:
    """Print records as JSON or as a table; a person is told `nothing` if there are none."""
    if as_json:
        print_json(records)
    elif records:
        print_table([*columns], [[cell(record) for cell in columns.values()] for record in records])
    else:
        say(nothing)
