"""The journal of every quote."""

import uuid
from collections.abc import Callable
from typing import Final

import typer

from bindery.cli import common
from bindery.cli.progress import progress_bar
from bindery.domain.quote.journal_check import Flaw, flaws_of
from bindery.storage.database import Database
from bindery.storage.quote import journal

app = typer.Typer(no_args_is_help=True)
BATCH: Final = 500
SHOWN: Final = 20
FLAWED: Final = 1


@app.callback()
def _group() -> None:
    """The journal of every quote."""


@app.command("verify", help="Check that no journal entry was changed or is missing; exit code 1 if one was.")
def verify(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    settings = common.settings_for(data)

    async def work() -> tuple[int, int, list[Flaw]]:
        async with common.ready_database(settings) as database:
            async with database.reading() as tx:
                total = await journal.count_quotes(tx)
            with progress_bar() as progress:
                bar = progress.add_task("Reading journals", total=total)
                return await _read_all(database, lambda count: progress.advance(bar, count))

    quotes, entries, flaws = common.run(work())
    if as_json:
        common.print_json({"quotes": quotes, "entries": entries, "flaws": flaws})
    else:
        _print_outcome(quotes, entries, flaws)
    if flaws:
        raise typer.Exit(FLAWED)


async def _read_all(database: Database, advance: Callable[[int], None]) -> tuple[int, int, list[Flaw]]:
    quotes = entries = 0
    flaws: list[Flaw] = []
    last = uuid.UUID(int=0)
    while True:
        async with database.reading() as tx:
            batch = await journal.read_batch(tx, after=last, limit=BATCH)
        if not batch:
            return quotes, entries, flaws
        for history in batch:
            flaws += flaws_of(history)
            entries += len(history.entries)
        quotes += len(batch)
        last = batch[-1].quote_id
        advance(len(batch))


def _print_outcome(quotes: int, entries: int, flaws: list[Flaw]) -> None:
    if not flaws:
        common.say(f"{quotes:,} journals with {entries:,} entries are as they were written.")
        return
    for flaw in flaws[:SHOWN]:
        where = f"entry {flaw.entry}: it " if flaw.entry else ""
        common.say(f"Quote {flaw.quote_id}, {where}{flaw.what}.")
    if len(flaws) > SHOWN:
        common.say(f"… and {len(flaws) - SHOWN:,} more.")
    common.say(
        f"Of {quotes:,} journals, {len({flaw.quote_id for flaw in flaws}):,} are not as they were written."
    )
