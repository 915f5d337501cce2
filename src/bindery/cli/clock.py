"""The business clock of the demo."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from bindery.actions.move_clock import move_clock
from bindery.base.clock import Clock
from bindery.cli.common import (
    DataOption,
    JsonOption,
    counted,
    print_json,
    ready_runtime,
    refuse,
    run,
    say,
    settings_for,
)
from bindery.cli.connection import TokenOption, connection_to, talk
from bindery.cli.new_world import start_anew
from bindery.client import AsyncBindery
from bindery.runtime import Runtime
from bindery.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
FARTHEST_DAYS = 4000
LONGEST_NUMBER = 9

ServiceOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
        help="Address of a demo, or BINDERY_URL; without it the data folder's clock is meant.",
        show_default=False,
    ),
]


@app.command("show", help="Show the business time of the demo.\n\nExample: bindery clock show")
def show(
    *,
    url: ServiceOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show the business time."""
    if url is not None:
        return _over_http(url, token, data, None, as_json=as_json)
    settings = _demo_settings(data)

    async def work() -> tuple[datetime, timedelta]:
        async with ready_runtime(settings) as runtime:
            return await _time(runtime)

    _print_time(settings, *run(work()), as_json=as_json)
    return 0


@app.command(
    "advance",
    help="Move the demo's clock ahead and do everything that becomes due.\n\n"
    "Example: bindery clock advance 61",
    # So that -5 arrives here, where there is more to say about it than that it is no option.
    context_settings={"ignore_unknown_options": True},
)
def advance(
    days: Annotated[str, typer.Argument(metavar="DAYS", help=f"0 to {FARTHEST_DAYS:,}.")],
    *,
    url: ServiceOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Move the clock; a running demo on the same data follows at once."""
    if url is not None:
        return _over_http(url, token, data, _read_days(days), as_json=as_json)
    settings = _demo_settings(data)
    ahead = _read_days(days)

    async def work() -> tuple[datetime, timedelta]:
        async with ready_runtime(settings) as runtime:
            await move_clock(runtime, ahead)
            return await _time(runtime)

    _print_time(settings, *run(work()), as_json=as_json)
    return 0


@app.command(
    "reset",
    help="Start the demo's world anew, at today and empty; what there was is kept aside in its database.\n\n"
    "Partners, brokers, users and tokens stay. Stop the demo first.\n\n"
    "Example: bindery clock reset",
)
def reset(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Start the world anew."""
    settings = _demo_settings(data)
    kept = run(start_anew(settings))
    if as_json:
        print_json({"kept_schema": kept})
    else:
        say("The demo's world starts anew: it is empty, and its clock shows the real time.")
        say(f"What there was is kept in the schema {kept} of its database; tokens stay valid.")


def _over_http(url: str, token: str | None, data: DataOption, days: int | None, *, as_json: bool) -> int:
    async def work(bindery: AsyncBindery) -> None:
        shown = await (bindery.show_clock() if days is None else bindery.move_clock(days))
        _print_time(settings_for(data), shown.now, shown.now - Clock.real_now(), as_json=as_json)

    return talk(connection_to(url, token, data), work, as_json=as_json)


def _demo_settings(data: DataOption) -> Settings:
    settings = settings_for(data)
    if not settings.is_demo:
        refuse("BINDERY_ENVIRONMENT is production; only the demo has a clock that can be moved.")
    return settings


def _read_days(text: str) -> int:
    digits = text if text.isascii() and text.isdecimal() else ""
    if not digits or len(digits) > LONGEST_NUMBER or int(digits) > FARTHEST_DAYS:
        refuse(
            f"DAYS must be a whole number from 0 to {FARTHEST_DAYS:,}, not {text!r}: the clock only goes "
            "ahead. `bindery clock reset` starts anew at today."
        )
    return int(digits)


async def _time(runtime: Runtime) -> tuple[datetime, timedelta]:
    now = await runtime.database.now()
    return now, now - runtime.clock.real_now()


def _print_time(settings: Settings, now: datetime, ahead: timedelta, *, as_json: bool) -> None:
    days = round(ahead / timedelta(days=1))
    if as_json:
        print_json({"now": now, "days_ahead": days})
        return
    local = now.astimezone(settings.zone)
    lead = f"{counted(days, 'day')} ahead of the real time" if days else "the real time"
    say(f"{local:%A %Y-%m-%d %H:%M} in {settings.business_zone}, {lead}.")
