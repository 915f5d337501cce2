"""The business clock of the demo."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from bindery.actions.move_clock import move_clock
from bindery.cli.common import (
    DataOption,
    JsonOption,
    print_json,
    ready_runtime,
    refuse,
    run,
    say,
    settings_for,
)
from bindery.runtime import Runtime
from bindery.settings import Settings

app = typer.Typer(no_args_is_help=True)
FARTHEST_DAYS = 4000
LONGEST_NUMBER = 9


@app.command("show", help="Show the business time of the demo.")
def show(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the business time."""
    settings = _demo_settings(data)

    async def work() -> tuple[datetime, timedelta]:
        async with ready_runtime(settings) as runtime:
            return await _time(runtime)

    _print_time(settings, *run(work()), as_json=as_json)


@app.command(
    "advance",
    help="Move the demo's clock ahead and do everything that becomes due.",
    # So that -5 arrives here, where there is more to say about it than that it is no option.
    context_settings={"ignore_unknown_options": True},
)
def advance(
    days: Annotated[str, typer.Argument(metavar="DAYS", help=f"0 to {FARTHEST_DAYS:,}.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move the clock; a running demo on the same data follows at once."""
    settings = _demo_settings(data)
    ahead = _read_days(days)

    async def work() -> tuple[datetime, timedelta]:
        async with ready_runtime(settings) as runtime:
            await move_clock(runtime, ahead)
            return await _time(runtime)

    _print_time(settings, *run(work()), as_json=as_json)


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
            "ahead. A new data folder starts at today."
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
    lead = f"{days:,} day{'' if days == 1 else 's'} ahead of the real time" if days else "the real time"
    say(f"{local:%A %Y-%m-%d %H:%M} in {settings.business_zone}, {lead}.")
