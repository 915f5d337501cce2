"""`bindery trigger`: have the demo produce an event, by its levers."""

import asyncio
import time
from typing import Annotated, Final

import typer
from rich.text import Text

from bindery.base.nearest import nearest
from bindery.cli.common import complaints, console, print_json, print_table, refuse, say
from bindery.cli.connection import NOT_READY, Service, is_demo, service_command
from bindery.cli.events import details_of
from bindery.cli.scenes import PING_ALL, SCENES, Stage, ping_all
from bindery.client import AsyncBindery
from bindery.client.calls import identifier_of
from bindery.contract.events import PING, FeedEvent

LOOKS_EVERY_S: Final = 0.2
HOW: Final = {**{name: scene.how for name, scene in SCENES.items()}, PING: PING_ALL}


@service_command
async def trigger(
    service: Service,
    event: Annotated[
        str | None,
        typer.Argument(metavar="EVENT", help="The event, as listed by --list.", show_default=False),
    ] = None,
    *,
    as_list: Annotated[bool, typer.Option("--list", help="List the events, and what each needs.")] = False,
    timeout_s: Annotated[
        int, typer.Option("--timeout", min=1, max=3_600, metavar="SECONDS", help="How long to wait for it.")
    ] = 120,
) -> int:
    """Make the demo produce an event, for a new applicant with an invented name; some move its clock.

    Example: bindery trigger policy.issued

    Exit codes:
    0  it happened
    1  refused by the service
    2  wrong use, or nobody answers
    4  it did not happen in time
    """
    if as_list:
        service.show(HOW, lambda how: print_table(["EVENT", "WHAT IS DONE"], how.items()))
        return 0
    if event is None:
        refuse("Which event? `bindery trigger --list` lists them.")
    if event not in HOW:
        meant = nearest(event, HOW)
        hint = f"Did you mean {meant}? " if meant else ""
        refuse(f"There is no event {event!r}. {hint}`bindery trigger --list` lists them.")
    async with service.client() as bindery:
        # Nobody's real business is touched.
        if not await is_demo(bindery):
            refuse(f"{service.connection.address} is not a demo; events can be triggered in a demo only.")
        if event == PING:
            return await _ping(bindery, as_json=service.as_json)
        quote = identifier_of(await SCENES[event].play(Stage(bindery, _report)))
        seen = await _wait_for(bindery, event, quote, time.monotonic() + timeout_s)
    if seen is None:
        complaints.print(f"{event} did not arrive within {timeout_s} seconds for quote {quote}.")
        return NOT_READY
    service.show(seen, lambda seen: _show(seen, quote))
    return 0


async def _wait_for(bindery: AsyncBindery, event: str, quote: str, until: float) -> FeedEvent | None:
    while True:
        page = await bindery.list_events(quote=quote, event_type=event)
        if page.events:
            return page.events[-1]
        if time.monotonic() >= until:
            return None
        await asyncio.sleep(LOOKS_EVERY_S)


async def _ping(bindery: AsyncBindery, *, as_json: bool) -> int:
    pinged = await ping_all(bindery)
    if not pinged:
        refuse("There is no webhook to ping: `bindery listen` registers one.")
    if as_json:
        print_json([{"event_id": event_id, "endpoint": endpoint} for event_id, endpoint in pinged])
    else:
        for event_id, endpoint in pinged:
            say(f"{PING} {event_id} is on its way to {endpoint}")
    return 0


def _report(sentence: str) -> None:
    """Print a step on the error stream: only the event is the command's result."""
    complaints.print(Text("· ", "dim") + Text(sentence))


def _show(seen: FeedEvent, quote: str) -> None:
    console.print(Text("✓ ", "bold green") + Text(f"{seen.type}  ", "bold") + Text(seen.id, "dim"))
    details = details_of(seen)
    if details:
        say(f"  {details}")
    say(f"  about quote {quote}, which is {seen.data['quote_status']}")
