"""The `bindery` command."""

import sys

import typer

from bindery.base.errors import BinderyError
from bindery.cli import clock, database, demo, documents, legacy, people, processes, quote, tariff
from bindery.cli.common import complaints

USAGE_ERROR = 2
INTERRUPTED = 130

app = typer.Typer(
    name="bindery",
    help="Insurance quoting for partners: cyber, technology E&O and professional liability.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo", help="Start API and worker on this machine, with everything ready to try.")(demo.demo)
app.command("serve", help="Serve the API.")(processes.serve)
app.command("work", help="Work on queued jobs and the timetable.")(processes.work)
app.command("quote", help=quote.HELP)(quote.quote)
app.command("migrate", help="Bring the database to this version's tables.")(database.migrate)
app.command("openapi", help="Print the OpenAPI document.")(documents.openapi)
app.add_typer(database.app, name="database", help="The embedded PostgreSQL of the data folder.")
app.add_typer(people.partner_app, name="partner", help="Who may use the API.")
app.add_typer(people.broker_app, name="broker", help="The brokers of record of a partner.")
app.add_typer(people.token_app, name="token", help="Bearer tokens.")
app.add_typer(legacy.app, name="legacy", help="Identifiers of version 0.1.")
app.add_typer(tariff.app, name="tariff", help="The numbers that prices are made of.")
app.add_typer(clock.app, name="clock", help="The business clock of the demo.")


def main() -> None:
    """Run the command; whatever the user got wrong is one sentence and exit code 2."""
    try:
        result = app(standalone_mode=False)
    except typer.TyperException as fault:
        _complain(fault.format_message())
    except BinderyError as fault:
        _complain(fault.message)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _complain(sentence: str) -> None:
    # A command called without arguments has shown its help by now, and there is no sentence to add.
    if sentence:
        complaints.print("bindery:", style="bold red", end=" ")
        complaints.print(sentence, markup=False, highlight=False, soft_wrap=True)
    sys.exit(USAGE_ERROR)
