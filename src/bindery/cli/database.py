"""Migrations, and the embedded server of the data folder."""

from typing import Annotated

import typer

from bindery.actions.documents.find_seal_key import ensure_seal_key
from bindery.cli.common import DataOption, JsonOption, print_json, refuse, run, say, settings_for
from bindery.outside import embedded_postgres
from bindery.own_database import database_dsn
from bindery.runtime import running
from bindery.settings import Settings
from bindery.storage import migrate as migrations
from bindery.storage.revision import MigrationStep, own_chain

app = typer.Typer(no_args_is_help=True)


def migrate(
    *,
    expand: Annotated[
        bool, typer.Option("--expand", help="Only add, so that processes of the version before go on.")
    ] = False,
    contract: Annotated[
        bool, typer.Option("--contract", help="Then take away what no process needs any more.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Migrate the database to this version's tables."""
    if expand and contract:
        refuse("--expand comes before the new processes and --contract after them: one at a time.")
    only = MigrationStep.EXPAND if expand else MigrationStep.CONTRACT if contract else None
    settings = settings_for(data)
    revision = run(_migrate(settings, database_dsn(settings), only))
    say(f"The database is at revision {revision}.")
    left = own_chain().after(revision)
    if left:
        goal = list(left)[-1]
        say(f"When all processes are of this version, `bindery migrate --contract` goes on to {goal}.")


async def _migrate(settings: Settings, dsn: str, only: MigrationStep | None) -> str:
    revision = await migrations.migrate(dsn, only=only)
    async with running(settings, dsn) as runtime:
        # Made here, so that no document waits for it.
        await ensure_seal_key(runtime)
    return revision


@app.command("status", help="Show the embedded server of the data folder.")
def status(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    settings = settings_for(data)
    if settings.database_url:
        refuse("BINDERY_DATABASE_URL points to another database; there is no embedded server to show.")
    found = embedded_postgres.status(settings.data_dir)
    if as_json:
        print_json(found)
    elif found.running:
        say(f"PostgreSQL {found.version} is running as process {found.pid} on {found.data_folder}.")
    else:
        say(f"No PostgreSQL is running on {found.data_folder}.")


@app.command("stop", help="Stop the embedded server of the data folder.")
def stop(*, data: DataOption = None) -> None:
    settings = settings_for(data)
    if settings.database_url:
        refuse("BINDERY_DATABASE_URL points to another database; stop that one with its own tools.")
    stopped = embedded_postgres.stop(settings.data_dir)
    say("PostgreSQL is stopped." if stopped else "PostgreSQL was not running.")
