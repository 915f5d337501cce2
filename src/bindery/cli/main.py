"""The `bindery` command."""

import inspect
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Final

import typer

from bindery.base.errors import BinderyError
from bindery.cli.common import complaints

USAGE_ERROR = 2
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Command:
    """A command or a group of commands: its name, where it is found, and what it is for."""

    name: str
    place: str
    help: str


COMMANDS: Final = (
    Command("demo", "demo:demo", "Start API and worker on this machine, with everything ready to try."),
    Command("serve", "processes:serve", "Serve the API."),
    Command("work", "processes:work", "Work on queued jobs and the timetable."),
    Command("quote", "quote:quote", "Submit a request file, follow it, and show its options."),
    Command("listen", "listen:listen", "Show webhooks as they come: verify, print, forward."),
    Command("migrate", "database:migrate", "Bring the database to this version's tables."),
    Command("openapi", "documents:openapi", "Print the OpenAPI document."),
    Command("database", "database:app", "The embedded PostgreSQL of the data folder."),
    Command("partner", "people:partner_app", "Who may use the API."),
    Command("broker", "people:broker_app", "The brokers of record of a partner."),
    Command("token", "people:token_app", "Bearer tokens."),
    Command("jobs", "jobs:app", "What waits in the queue, runs or has failed."),
    Command("legacy", "legacy:app", "Identifiers of version 0.1."),
    Command("tariff", "tariff:app", "The numbers that prices are made of."),
    Command("journal", "journal:app", "The journal of every quote."),
    Command("clock", "clock:app", "The business clock of the demo."),
)


def main() -> None:
    """Run the command; whatever the user got wrong is one sentence and exit code 2."""
    try:
        result = _app(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=False)
    except typer.TyperException as fault:
        _complain(fault.format_message())
    except BinderyError as fault:
        _complain(fault.message)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _app(asked: str) -> typer.Typer:
    """Put the command line together; only what is asked for is imported, since all of it takes a second."""
    app = typer.Typer(
        name="bindery",
        help="Insurance quoting for partners: cyber, technology E&O and professional liability.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in COMMANDS:
        if command.name != asked:
            app.command(command.name, help=command.help)(lambda: None)
            continue
        module, _, name = command.place.partition(":")
        found = getattr(import_module(f"bindery.cli.{module}"), name)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=command.name, help=command.help)
        else:
            # A command that has more to say than one line says it in its docstring.
            more = inspect.cleandoc(found.__doc__ or "").partition("\n\n")[2]
            app.command(command.name, help=f"{command.help}\n\n{more}")(found)
    return app


def _complain(sentence: str) -> None:
    # A command called without arguments has shown its help by now, and there is no sentence to add.
    if sentence:
        complaints.print("bindery:", style="bold red", end=" ")
        complaints.print(sentence, markup=False, highlight=False, soft_wrap=True)
    sys.exit(USAGE_ERROR)
