"""The business clock of the demo."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from bindery.actions.timetable.move_clock import move_clock
from bindery.base.clock import Clock
from bindery.cli.common import (
    DataOption,
    JsonOption,
    counted,
    optional,
    print_json,
    ready_runtime,
    refuse,
    run,
    say,
    settings_for,
)
from bindery.cli.connection import Service, TokenOption, talk
from bindery.cli.new_world import start_over
from bindery.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
FARTHEST_DAYS = 4000
LONGEST_NUMBER = 9

ServiceOption = Annotated[
    str | None,
    optional(
        "Address of a demo, or BINDERY_URL; without it, the clock of the data folder.",
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
    ),
]


@app.command("show")
def show(
    *,
    url: ServiceOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show the business time of the demo.

    Example: bindery clock show
    """
    return _show_clock(Service(url, token, data, as_json))


# So that -5 arrives here, where there is more to say about it than that it is not an option.
@app.command("advance", context_settings={"ignore_unknown_options": True})
def advance(
    days: Annotated[str, typer.Argument(metavar="DAYS", help=f"0 to {FARTHEST_DAYS:,}.")],
    *,
    url: ServiceOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Move the demo's clock ahead and do everything that becomes due.

    Example: bindery clock advance 61
    """
    return _show_clock(Service(url, token, data, as_json), _read_days(days))


@app.command("reset")
def reset(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Start the demo over, empty and at today; the old data is set aside in its database.

    Partners, brokers, users and tokens stay. Stop the demo first.

    Example: bindery clock reset
    """
    kept = run(start_over(_demo_settings(data)))
    if as_json:
        print_json({"kept_schema": kept})
    else:
        say("The demo starts over: it is empty, and its clock shows the real time.")
        say(f"The old data is kept in the schema {kept} of its database; tokens stay valid.")


def _show_clock(service: Service, days: int | None = None) -> int:
    """Show the clock of the demo at an address, or on the data folder, after moving it by days if any."""
    settings = _demo_settings(service.data) if service.url is None else settings_for(service.data)

    async def work() -> None:
        if service.url is None:
            async with ready_runtime(settings) as runtime:
                now = await (runtime.database.now() if days is None else move_clock(runtime, days))
        else:
            async with service.client() as bindery:
                now = (await (bindery.show_clock() if days is None else bindery.move_clock(days))).now
        _print_time(settings, now, as_json=service.as_json)

    return talk(work(), as_json=service.as_json)


def _demo_settings(data: DataOption) -> Settings:
    settings = settings_for(data)
    if not settings.is_demo:
        refuse("BINDERY_ENVIRONMENT is production; only the demo has a clock that can be moved.")
    return settings


def _read_days(text: str) -> int:
    digits = text if text.isascii() and text.isdecimal() else ""
    if not digits or len(digits) > LONGEST_NUMBER or int(digits) > FARTHEST_DAYS:
        refuse(
            f"DAYS must be a whole number from 0 to {FARTHEST_DAYS:,}, not {text!r}: the clock only moves "
            f"ahead. `bindery clock reset` starts over at today."
        )
    return int(digits)


def _print_time(settings: Settings, now: datetime, *, as_json: bool) -> None:
    days = round((now - Clock.real_now()) / timedelta(days=1))
    if as_json:
        print_json({"now": now, "days_ahead": days})
        return
    local = now.astimezone(settings.zone)
    lead = f"{counted(days, 'day')} ahead of the real time" if days else "the real time"
    say(f"{local:%A %Y-%m-%d %H:%M} in {settings.business_zone}, {lead}.")
