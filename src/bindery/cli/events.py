"""`bindery events`: the feed of everything that happened."""

import asyncio
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
import typer
from msgspec import structs
from rich.table import Table
from rich.text import Text

from bindery.cli import common
from bindery.cli.connection import Service, service_command
from bindery.client import AsyncBindery
from bindery.contract.events import EVENT_DETAILS, EventData, FeedEvent
from bindery.contract.vocabulary import EventLevel

MOST_ON_A_PAGE: Final = 500
LOOKS_EVERY_S: Final = 1.0
EVERY_EVENT_SAYS: Final = frozenset(field.encode_name for field in structs.fields(EventData))
COLUMNS: Final = ("TIME", "TYPE", "QUOTE", "SAYS")
NARROW: Final = {"TIME": 90, "SAYS": 110}
"""Narrower terminals leave these columns out."""
LONGEST_TYPE: Final = max(map(len, EVENT_DETAILS))


@service_command
async def events(
    service: Service,
    *,
    quote: Annotated[str | None, common.optional("Only of this quote.", metavar="QUOTE")] = None,
    event_type: Annotated[
        str | None, common.optional("Only of this type.", "--type", metavar="EVENT")
    ] = None,
    level: Annotated[EventLevel | None, common.optional("Only of this level.")] = None,
    after: Annotated[
        str | None, common.optional("Only what came after this cursor.", metavar="CURSOR")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="ROWS", help="At most this many.")
    ] = 100,
    follow: Annotated[
        bool, typer.Option("--follow", help="Show everything, then wait for new events until interrupted.")
    ] = False,
) -> None:
    """Show the event feed, the oldest event first; with --json and --follow one event a line.

    Example: bindery events --type quote.published --follow
    """
    feed = Feed(quote, event_type, level)
    async with service.client() as bindery:
        if follow:
            with common.stop_on_signal() as stop:
                await common.unless_stopped(_follow(bindery, feed, after, as_json=service.as_json), stop)
            return
        found, cursor = await feed.read(bindery, after, limit)
        if quote is not None and not found:
            # A misspelled identifier would look like silence.
            await bindery.get_quote(quote)
    if service.as_json:
        common.print_json({"events": found, "next_cursor": cursor})
    elif found:
        common.console.print(_table(found))
        if len(found) == limit:
            common.say(f"\nThere may be more: --after {cursor}")
    else:
        common.say("There is no such event yet.")


@dataclass(frozen=True, slots=True)
class Feed:
    quote: str | None
    event_type: str | None
    level: str | None

    async def read(
        self, bindery: AsyncBindery, after: str | None, most: int
    ) -> tuple[list[FeedEvent], str | None]:
        found: list[FeedEvent] = []
        while len(found) < most:
            page = await bindery.list_events(
                after=after,
                quote=self.quote,
                event_type=self.event_type,
                level=self.level,
                limit=min(most - len(found), MOST_ON_A_PAGE),
            )
            after = page.next_cursor
            found += page.events
            if not page.events:
                break
        return found, after


async def _follow(bindery: AsyncBindery, feed: Feed, cursor: str | None, *, as_json: bool) -> None:
    with_header = True
    while True:
        found, cursor = await feed.read(bindery, cursor, MOST_ON_A_PAGE)
        _show(found, as_json=as_json, with_header=with_header)
        with_header = False
        await asyncio.sleep(LOOKS_EVERY_S)


def _show(found: list[FeedEvent], *, as_json: bool, with_header: bool) -> None:
    if as_json:
        for event in found:
            sys.stdout.write(msgspec.json.encode(event).decode() + "\n")
    elif found or with_header:
        common.console.print(_table(found, with_header=with_header))
    sys.stdout.flush()


def details_of(event: FeedEvent) -> str:
    """List the fields of an event that not every event has, in one line."""
    return ", ".join(
        f"{name} {_short(value)}" for name, value in event.data.items() if name not in EVERY_EVENT_SAYS
    )


def _short(value: Any) -> str:  # noqa: ANN401 - JSON
    match value:
        case {"text": str(text)}:
            return text
        case [*parts]:
            return ", ".join(_short(part) for part in parts)
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def _table(found: list[FeedEvent], *, with_header: bool = True) -> Table:
    rows = [
        (
            f"{event.timestamp:%Y-%m-%d %H:%M:%S}",
            # Padded, so that rows printed later line up.
            Text(event.type.ljust(LONGEST_TYPE), "bold"),
            str(event.data.get("quote_identifier", "")),
            details_of(event),
        )
        for event in found
    ]
    table = common.fitting_table(COLUMNS, rows, width=common.console.width, narrow=NARROW)
    table.show_header = with_header
    common.one_line_each(table, giving_way="SAYS", width=common.console.width)
    return table
