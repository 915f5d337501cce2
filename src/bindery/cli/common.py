"""Shared by the commands: options, settings, a runtime, and output for people or for scripts."""

import asyncio
import getpass
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias, TypeVar

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bindery.base.clock import Clock
from bindery.base.errors import InvalidRequest
from bindery.domain.access.deeds import Doer
from bindery.outside.traces import check_trace_variables
from bindery.settings import DEMO_TOKEN_FILE, Settings, load_settings

if TYPE_CHECKING:
    from bindery.runtime import Runtime
    from bindery.storage.database import Database

T = TypeVar("T")
Rows: TypeAlias = Iterable[Sequence[str | Text]]


def optional(words: str, *names: str, **more: Any) -> Any:  # noqa: ANN401 - as typer has it
    """Describe an option that may be left out; its help shows no default."""
    return typer.Option(*names, help=words, show_default=False, **more)


DataOption = Annotated[
    Path | None, optional("Data folder; BINDERY_DATA_DIR when not given.", "--data", metavar="DIR")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
RequestFile = Annotated[
    str, typer.Argument(metavar="FILE.json", help="The request; `-` reads standard input.")
]

TOKEN_FILE: Final = DEMO_TOKEN_FILE
URL_FILE: Final = "demo_url"
"""Files that the demo writes into its data folder, for the other commands."""

WIDTH_OF_A_PIPE: Final = 400
"""Lines that go into a file or a pipe are not wrapped."""


COLUMN_GAP: Final = 2
NARROWEST_COLUMN: Final = 8


def _console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr)
    if not made.is_terminal:
        made.width = WIDTH_OF_A_PIPE
    return made


console = _console()
complaints = _console(stderr=True)


def doer() -> Doer:
    """Return who gives the command: the account of this machine, and whose it was before `sudo`."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container may run as a number without a name
        account = f"uid {os.getuid()}"
    person = os.environ.get("SUDO_USER", "")
    name = f"{person} as {account}" if person and person != account else account
    return Doer(name, place=f"command line of {socket.gethostname()}")


def settings_for(data: Path | None) -> Settings:
    return load_settings(data_dir=data)


def settings_of_process(data: Path | None) -> Settings:
    """Return the settings of a process that stays; what it is told about traces is checked with them."""
    check_trace_variables(os.environ)
    return settings_for(data)


def kept_in(settings: Settings, name: str) -> str:
    """Return the text of a file that the demo wrote into its data folder, or an empty text."""
    kept = settings.data_dir / name
    return kept.read_text().strip() if kept.is_file() else ""


def at_address(settings: Settings, api: str) -> Settings:
    """Derive the addresses that were not configured from that of the demo's API."""
    ours = Settings()
    return replace(
        settings,
        base_url=api if settings.base_url == ours.base_url else settings.base_url,
        platform_url=api.removesuffix("/v2")
        if settings.platform_url == ours.platform_url
        else settings.platform_url,
    )


def at_kept_address(settings: Settings) -> Settings:
    address = kept_in(settings, URL_FILE) if settings.is_demo else ""
    return at_address(settings, address) if address else settings


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


# Imported when it is needed: commands without a database start in a fifth of the time, and those that need
# nothing but the database in half of it.
@asynccontextmanager
async def ready_runtime(settings: Settings) -> AsyncIterator["Runtime"]:
    from bindery.runtime import running  # noqa: PLC0415

    async with running(at_kept_address(settings), await _ready_dsn(settings)) as runtime:
        yield runtime


@asynccontextmanager
async def ready_database(settings: Settings) -> AsyncIterator["Database"]:
    from bindery.own_database import open_database  # noqa: PLC0415

    async with (
        open_database(settings, await _ready_dsn(settings), Clock()) as database,
        database.watch.listening(),
    ):
        yield database


async def _ready_dsn(settings: Settings) -> str:
    from bindery.own_database import database_dsn  # noqa: PLC0415
    from bindery.storage import health  # noqa: PLC0415

    check_data_folder(settings)
    dsn = database_dsn(settings)
    await health.check_database(dsn)
    return dsn


def check_data_folder(settings: Settings) -> None:
    """Check that the data folder is there, so that a mistyped one starts no server of its own."""
    if not settings.database_url and not settings.data_dir.is_dir():
        refuse(
            f"There is no data folder at {settings.data_dir}. `bindery demo` and `bindery migrate` create "
            f"one; --data chooses another."
        )


def say(sentence: str) -> None:
    """Print a sentence without reading markup in it; a terminal wraps it between words."""
    console.print(sentence, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def show_line(line: str, out: Console = console) -> None:
    """Print a line to copy: never wrapped, no markup, no color."""
    out.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n")


def show_result(value: object, *sentences: str, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        for sentence in sentences:
            say(sentence)


def plain_table(*columns: str, right: Collection[str] = ()) -> Table:
    table = Table(
        box=None, show_header=any(columns), header_style="bold", pad_edge=False, padding=(0, COLUMN_GAP, 0, 0)
    )
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left")
    return table


def filled(table: Table, rows: Rows) -> Table:
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def fitting_table(
    columns: Sequence[str], rows: Rows, *, width: int, narrow: Mapping[str, int], right: Collection[str] = ()
) -> Table:
    shown = [place for place, name in enumerate(columns) if width >= narrow.get(name, 0)]
    table = plain_table(*(columns[place] for place in shown), right=right)
    return filled(table, [[row[place] for place in shown] for row in rows])


def one_line_each(table: Table, *, giving_way: str, width: int) -> None:
    """Keep every row of a table on one line; one column is cut so that the others are whole."""
    taken = 0
    for column in table.columns:
        column.no_wrap = True
        if column.header != giving_way:
            cells = [len(str(cell)) for cell in column.cells]
            taken += max([len(str(column.header)), *cells]) + COLUMN_GAP
    for column in table.columns:
        if column.header == giving_way:
            column.overflow = "ellipsis"
            column.max_width = max(NARROWEST_COLUMN, width - taken - COLUMN_GAP)


def indented(table: Table) -> Padding:
    return Padding(table, (0, 0, 0, 2), expand=False)


def print_table(columns: Sequence[str], rows: Rows) -> None:
    console.print(filled(plain_table(*columns), rows))


def show_list(title: str, columns: Sequence[str], rows: Rows) -> None:
    """Print rows under a title, a line below what is above; nothing without rows."""
    table = filled(plain_table(*columns), rows)
    if table.row_count:
        console.print()
        console.print(title, style="bold", highlight=False)
        console.print(indented(table))


def show_fields(fields: Iterable[tuple[str, str | Text]]) -> None:
    """Print names and values side by side; empty values are left out."""
    table = plain_table("", "")
    table.columns[0].style = "dim"
    table.columns[0].no_wrap = True
    console.print(indented(filled(table, [field for field in fields if field[1]])))


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def read_file(file: str | Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as fault:
        refuse(f"{file} cannot be read: {fault.strerror}.")


def pairs_of(option: str, form: str, given: Iterable[str]) -> Iterator[tuple[str, str]]:
    for pair in given:
        name, is_pair, value = pair.partition("=")
        if not (name and is_pair):
            refuse(f"{option} takes {form}, not {pair!r}.")
        yield name, value


@contextmanager
def stop_on_signal() -> Iterator[asyncio.Event]:
    """Set an event at the first SIGINT or SIGTERM; a second one ends the process as usual."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def set_stop() -> None:
        stop.set()
        release()

    def release() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, set_stop)
    try:
        yield stop
    finally:
        release()


async def unless_stopped(waiting: Coroutine[Any, Any, object], stop: asyncio.Event) -> bool:
    """Wait for a coroutine until `stop` is set; return whether the coroutine finished."""
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
