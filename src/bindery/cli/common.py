"""What the commands share: options, settings, a runtime, and output for people or for scripts."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Collection, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bindery.base.errors import InvalidRequest
from bindery.settings import Settings, load_settings

if TYPE_CHECKING:
    from bindery.runtime import Runtime

T = TypeVar("T")

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Data folder; BINDERY_DATA_DIR when not given.", show_default=False
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]

TOKEN_FILE: Final = "demo_token"  # noqa: S105 - the name of a file
URL_FILE: Final = "demo_url"
"""What the demo leaves in its data folder for `bindery quote` to find."""

WIDTH_OF_A_PIPE: Final = 400
"""Lines that go into a file or a pipe are not wrapped."""


def _console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr)
    if not made.is_terminal:
        made.width = WIDTH_OF_A_PIPE
    return made


console = _console()
complaints = _console(stderr=True)


def settings_for(data: Path | None) -> Settings:
    """Read the settings, with `--data` over `BINDERY_DATA_DIR`."""
    return load_settings(data_dir=data)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work to its end."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


@asynccontextmanager
async def ready_runtime(settings: Settings) -> AsyncIterator["Runtime"]:
    """Open a runtime on a database that is there and has this version's schema.

    Raises:
        Misconfigured: it cannot be reached.
        InvalidRequest: it lacks the tables, or there is no such data folder; the sentence says what to run.
    """
    # Imported when it is needed: commands without a database start in a fifth of the time.
    from bindery.runtime import database_dsn, running  # noqa: PLC0415
    from bindery.storage import health  # noqa: PLC0415

    check_data_folder(settings)
    dsn = database_dsn(settings)
    await health.check_database(dsn)
    async with running(settings, dsn) as runtime:
        yield runtime


def check_data_folder(settings: Settings) -> None:
    """Check that the data folder is there, so that a mistyped one starts no server of its own.

    Raises:
        InvalidRequest: it is not, and no other database is configured.
    """
    if not settings.database_url and not settings.data_dir.is_dir():
        refuse(
            f"There is no data folder at {settings.data_dir}. `bindery demo` and `bindery migrate` make one; "
            "--data names another."
        )


def say(sentence: str) -> None:
    """Print a sentence as it is, whatever brackets a name in it has; a terminal wraps it between words."""
    console.print(sentence, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def show_line(line: str) -> None:
    """Print a line to copy: never wrapped, no markup, no color."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a value as JSON, for a script."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n")


def plain_table(*columns: str, right: Collection[str] = ()) -> Table:
    """Make a table without lines; cells are text as it is, never markup."""
    table = Table(
        box=None, show_header=any(columns), header_style="bold", pad_edge=False, padding=(0, 2, 0, 0)
    )
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left")
    return table


def indented(table: Table) -> Padding:
    """Set a table in by two."""
    return Padding(table, (0, 0, 0, 2), expand=False)


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    """Print rows for a person."""
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


@contextmanager
def told_to_stop() -> Iterator[asyncio.Event]:
    """Turn the first SIGINT or SIGTERM into an event; a second one ends the process as it always does."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def tell() -> None:
        told.set()
        release()

    def release() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, tell)
    try:
        yield told
    finally:
        release()


async def unless_stopped(waiting: Coroutine[Any, Any, object], stop: asyncio.Event) -> bool:
    """Wait for something unless told to stop before it comes; whether it came."""
    coming = asyncio.ensure_future(waiting)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if coming.done():
            coming.result()
        return coming.done()
    finally:
        coming.cancel()
        stopping.cancel()
        await asyncio.gather(coming, stopping, return_exceptions=True)


def refuse(sentence: str) -> NoReturn:
    """End the command with one sentence and exit code 2."""
    raise InvalidRequest(sentence)
