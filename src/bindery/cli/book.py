"""The book: what was written, and whether it adds up."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Annotated

import typer

from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.cli.progress import progress_bar
from bindery.cli.verify import FLAWED, LookedAt, print_looked_at
from bindery.domain.bordereaux.bordereau import Month, read_month
from bindery.domain.policy.book_check import BookPart, KeptPolicy, flaws_of_book
from bindery.storage.database import Reader
from bindery.storage.operations import kept_book
from bindery.storage.operations.kept import KeptFlaw

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """The book: what was written, and whether it adds up."""


@app.command(
    "verify", help="Check the ledger against journals, policies and papers; exit code 1 if they differ."
)
def verify(
    *,
    month: Annotated[
        str,
        common.optional("Only policies with something booked in a month.", "--month", metavar="YYYY-MM"),
    ] = "",
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    settings = common.settings_for(data)
    asked = read_month(month) if month else None

    async def work() -> dict[BookPart, LookedAt]:
        async with common.ready_database(settings) as database, database.snapshot() as tx:
            with progress_bar() as progress:
                bar = progress.add_task("Reading the book", total=await kept_book.count_policies(tx, asked))
                return await look_at_book(tx, lambda count: progress.advance(bar, count), month=asked)

    found = common.run(work())
    if as_json:
        common.print_json(found)
    else:
        print_looked_at(found)
        if not any(part.flawed for part in found.values()):
            common.say("The ledger says what journals, policies and papers say, to the cent.")
    if any(part.flawed for part in found.values()):
        raise typer.Exit(FLAWED)


async def look_at_book(
    tx: Reader, advance: Callable[[int], None] = lambda _count: None, *, month: Month | None = None
) -> dict[BookPart, LookedAt]:
    found = {part: LookedAt() for part in BookPart}
    async with aclosing(kept_book.policies(tx, month)) as batches:
        async for batch in batches:
            await asyncio.to_thread(_look_at, batch, found)
            advance(len(batch))
    for quote_id in await kept_book.without_policy(tx):
        flaw = KeptFlaw(quote_id=quote_id, what="it has transactions and was never bound")
        found[BookPart.TRANSACTIONS].add(0, [flaw])
    for binder in await kept_book.binders(tx):
        differs = KeptFlaw(
            quote_id=None,
            what=f"{binder.agreement} has {in_dollars(binder.booked)} booked, and its transactions add up to "
            f"{in_dollars(binder.added_up)}",
        )
        found[BookPart.BINDERS].add(1, [differs] if binder.booked != binder.added_up else [])
    for kept in await kept_book.sums(tx):
        differs = KeptFlaw(
            quote_id=None,
            what=f"{kept.state} {Month(kept.month)}, {kept.title or 'premium'}: the filings have "
            f"{in_dollars(kept.kept)}, and its transactions add up to {in_dollars(kept.added_up)}",
        )
        found[BookPart.SUMS].add(1, [] if kept.is_right else [differs])
    return found


def _look_at(batch: Sequence[KeptPolicy], found: Mapping[BookPart, LookedAt]) -> None:
    found[BookPart.TRANSACTIONS].checked += sum(len(policy.transactions) for policy in batch)
    found[BookPart.JOURNAL].checked += sum(len(policy.steps) for policy in batch)
    found[BookPart.POLICIES].checked += len(batch)
    found[BookPart.PAPERS].checked += sum(
        (policy.printed is not None) + len(policy.notices) for policy in batch
    )
    for policy in batch:
        for part, what in flaws_of_book(policy):
            flaw = KeptFlaw(quote_id=policy.quote_id, what=f"{policy.policy_number}: {what}")
            found[part].add(0, [flaw])
