"""What the commands share: options, settings, a runtime, and output for people or for scripts."""

import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from bindery.base.errors import InvalidRequest
from bindery.runtime import Runtime, database_dsn, running
from bindery.settings import Settings, load_settings
from bindery.storage import health

T = TypeVar("T")

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Data folder; BINDERY_DATA_DIR when not given.", show_default=False
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]

console = Console()
complaints = Console(stderr=True)


def settings_for(data: Path | None) -> Settings:
    """Read the settings, with `--data` over `BINDERY_DATA_DIR`."""
    return load_settings(data_dir=data)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work to its end."""
    return asyncio.run(work)


@asynccontextmanager
async def ready_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Open a runtime on a database that has this version's schema.

    Raises:
        InvalidRequest: it has not; the sentence says what to run.
    """
    async with running(settings, database_dsn(settings)) as runtime:
        if not await health.is_ready(runtime.database):
            raise InvalidRequest("The database lacks this version's tables; run `bindery migrate` first.")
        yield runtime


def print_json(value: object) -> None:
    """Print a value as JSON, for a script."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n")


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    """Print rows for a person."""
    table = Table(*columns, box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*row)
    console.print(table)


def refuse(sentence: str) -> NoReturn:
    """End the command with one sentence and exit code 2."""
    raise InvalidRequest(sentence)
