"""What the commands share that read or change the database themselves."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from bindery.cli.common import print_json, print_table, ready_runtime, run, say, settings_for
from bindery.storage.database import Reader, Tx

T = TypeVar("T")


def read(data: Path | None, work: Callable[[Reader], Awaitable[T]]) -> T:
    """Read from the database of a data folder, or from the one that is configured."""

    async def reading() -> T:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.reading() as tx:
            return await work(tx)

    return run(reading())


def write(data: Path | None, work: Callable[[Tx], Awaitable[T]]) -> T:
    """Change something in that database, in one transaction."""

    async def writing() -> T:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.transaction() as tx:
            return await work(tx)

    return run(writing())


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
