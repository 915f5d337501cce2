"""The business clock of the demo."""

import asyncio
from datetime import datetime, timedelta
from typing import Annotated, Final

import asyncpg
import typer

from bindery.actions.timetable.move_clock import move_clock
from bindery.base.clock import Clock
from bindery.base.errors import InvalidRequest
from bindery.cli import common
from bindery.cli.connection import Service, TokenOption, talk
from bindery.own_database import database_dsn
from bindery.settings import Settings
from bindery.storage import health, set_aside
from bindery.storage.migrate import migrate

LOOKS: Final = 15
LOOKS_EVERY_S: Final = 0.1
app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
FARTHEST_DAYS = 4000
LONGEST_NUMBER = 9
ServiceOption = Annotated[
    str | None,
    common.optional(
        "Address of a demo, or BINDERY_URL; without it, the clock of the data folder.",
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
    ),
]


async def start_over(settings: Settings) -> str:
    """Set the data aside in another schema, make empty tables, and keep all access; return the schema's name.

    The moment between the two has no tables: a demo that starts then makes them itself, with a new token.
    """
    common.check_data_folder(settings)
    dsn = await asyncio.to_thread(database_dsn, settings)
    await health.check_database(dsn)
    kept = f"kept_{Clock.real_now():%Y_%m_%d_%H%M%S}"
    connection = await health.connect_once(dsn)
    try:
        others = await _others(connection)
        if others:
            common.refuse(
                f"The database of this demo is in use ({common.counted(others, 'open connection')}): stop "
                f"the demo, and anything else that uses it, first."
            )
        try:
            await set_aside.set_aside(connection, kept)
        except asyncpg.InsufficientPrivilegeError as fault:
            sentence = f"The database does not let this account set its tables aside: {fault}."
            raise InvalidRequest(sentence) from fault
        await migrate(dsn)
        await set_aside.let_in_again(connection, kept)
    finally:
        await connection.close()
    return kept


async def _others(connection: set_aside.Connection) -> int:
    """Count other connections; one that was just closed gets a moment to end."""
    for _ in range(LOOKS):
        others = await set_aside.count_others(connection)
        if not others:
            break
        await asyncio.sleep(LOOKS_EVERY_S)
    return others


@app.command("show")
def show(
    *,
    url: ServiceOption = None,
    token: TokenOption = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
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
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Move the demo's clock ahead and do everything that becomes due.

    Example: bindery clock advance 61
    """
    return _show_clock(Service(url, token, data, as_json), _read_days(days))


@app.command("reset")
def reset(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    """Start the demo over, empty and at today; the old data is set aside in its database.

    Partners, brokers, users and tokens stay. Stop the demo first.

    Example: bindery clock reset
    """
    kept = common.run(start_over(_demo_settings(data)))
    if as_json:
        common.print_json({"kept_schema": kept})
    else:
        common.say("The demo starts over: it is empty, and its clock shows the real time.")
        common.say(f"The old data is kept in the schema {kept} of its database; tokens stay valid.")


def _show_clock(service: Service, days: int | None = None) -> int:
    settings = _demo_settings(service.data) if service.url is None else common.settings_for(service.data)

    async def work() -> None:
        if service.url is None:
            async with common.ready_runtime(settings) as runtime:
                now = await (runtime.database.now() if days is None else move_clock(runtime, days))
        else:
            async with service.client() as bindery:
                now = (await (bindery.show_clock() if days is None else bindery.move_clock(days))).now
        _print_time(settings, now, as_json=service.as_json)

    return talk(work(), as_json=service.as_json)


def _demo_settings(data: common.DataOption) -> Settings:
    settings = common.settings_for(data)
    if not settings.is_demo:
        common.refuse("BINDERY_ENVIRONMENT is production; only the demo has a clock that can be moved.")
    return settings


def _read_days(text: str) -> int:
    digits = text if text.isascii() and text.isdecimal() else ""
    if not digits or len(digits) > LONGEST_NUMBER or int(digits) > FARTHEST_DAYS:
        common.refuse(
            f"DAYS must be a whole number from 0 to {FARTHEST_DAYS:,}, not {text!r}: the clock only moves "
            f"ahead. `bindery clock reset` starts over at today."
        )
    return int(digits)


def _print_time(settings: Settings, now: datetime, *, as_json: bool) -> None:
    days = round((now - Clock.real_now()) / timedelta(days=1))
    if as_json:
        common.print_json({"now": now, "days_ahead": days})
        return
    local = now.astimezone(settings.zone)
    lead = f"{common.counted(days, 'day')} ahead of the real time" if days else "the real time"
    common.say(f"{local:%A %Y-%m-%d %H:%M} in {settings.business_zone}, {lead}.")
