"""The `bindery` command."""

import errno
import inspect
import os
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Final

import typer

from bindery.base.errors import BinderyError, MigrationFailed
from bindery.cli.common import complaints, say

FAILED = 1
USAGE_ERROR = 2
INTERRUPTED = 130
NOBODY_READS = 1
COMPLETION = "_BINDERY_COMPLETE"
"""A shell sets this variable to ask for completions."""

FILE_TROUBLE: Final = frozenset(
    {
        errno.EACCES, errno.EPERM, errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EROFS,
        errno.ENOSPC, errno.EDQUOT, errno.ENAMETOOLONG, errno.ELOOP,
    }
)  # fmt: skip
"""Trouble with a file that the user can fix; anything else is a bug and keeps its trace."""

PLAIN_WORDS: Final = (
    (r"Value error, ", ""),
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be greater than or equal to ([\d.]+)", r"must be at least \1"),
    (r"Input should be less than or equal to ([\d.]+)", r"must be at most \1"),
)
"""Messages of the library that reads the options, and ours."""


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    place: str
    help: str


COMMANDS: Final = (
    Command("demo", "demo:demo", "Start API and worker on this machine, with everything ready to try."),
    Command("serve", "serve:serve", "Serve the API."),
    Command("work", "work:work", "Work on queued jobs and timed tasks."),
    Command("quote", "quote:quote", "Submit a request file, follow it, and show its options."),
    Command("validate", "validate:validate", "Check a request file; nothing is written."),
    Command(
        "questions", "questions:questions", "Show a product's questions, and which are still unanswered."
    ),
    Command("get", "get:get", "Show a quote with its terms, price and status."),
    Command("list", "lists:list_", "List quotes, policies or companies."),
    Command("upload", "bind:upload", "Upload the signed application, or another file for a quote."),
    Command("sign-request", "sign_request:sign_request", "Have the client sign the application on a page."),
    Command("bind", "bind:bind", "Bind a quote."),
    Command("documents", "documents:app", "The documents of a quote."),
    Command("events", "events:events", "Show the event feed, or follow it."),
    Command("listen", "listen:listen", "Receive webhooks here: register, verify, show, forward."),
    Command(
        "conformance", "conformance:conformance", "Play the specification row by row against an address."
    ),
    Command("trigger", "trigger:trigger", "Make the demo produce an event."),
    Command("clock", "clock:app", "The business clock of the demo."),
    Command("check", "check:check", "Check what the service needs: database, mail, files, workers."),
    Command("migrate", "database:migrate", "Migrate the database to this version's tables."),
    Command("openapi", "documents:openapi", "Print the OpenAPI document."),
    Command("database", "database:app", "The embedded PostgreSQL of the data folder."),
    Command("partner", "people:partner_app", "Who may use the API."),
    Command("broker", "people:broker_app", "The brokers of record of a partner."),
    Command("token", "people:token_app", "Bearer tokens."),
    Command("user", "users:app", "Who may sign in to the platform."),
    Command("webhook", "webhooks:app", "Where partners have their events sent."),
    Command("authority", "authority:app", "How far underwriters may decide alone."),
    Command("jobs", "jobs:app", "Jobs that are waiting, running or have failed."),
    Command("legacy", "people:legacy_app", "Identifiers of version 0.1."),
    Command("tariff", "tariff:app", "The numbers that prices are made of."),
    Command("carrier", "carrier:app", "Insurers on whose behalf policies are written."),
    Command("binder", "binder:app", "Under whose authority policies are written, and how much is used."),
    Command("bordereau", "bordereau:app", "What is reported to carriers of each month."),
    Command("filing", "filing:app", "What is owed to the states, and what was filed with them."),
    Command("book", "book:app", "The book: what was written, and whether it adds up."),
    Command("verify", "verify:verify", "Check that nothing of what was kept is lost or changed."),
    Command("journal", "journal:app", "The journal of every quote."),
    Command("signature", "signature:app", "The seal of signed applications."),
)


def main() -> None:
    """Run the command; a mistake of the user ends with one sentence and exit code 2.

    A migration that failed ends with one sentence too, and with exit code 1: nothing was wrong with the call.
    """
    try:
        result = _app(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=False)
    except typer.TyperException as fault:
        _complain(_in_plain_words(fault.format_message()))
    except MigrationFailed as fault:
        _complain(fault.message, FAILED)
    except BinderyError as fault:
        _complain(fault.message)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has ended; Python would complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(NOBODY_READS)
    except OSError as fault:
        if fault.errno not in FILE_TROUBLE:
            raise
        _complain(f"{fault.filename}: {fault.strerror}." if fault.filename else f"{fault.strerror}.")
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _app(asked: str) -> typer.Typer:
    """Put the command line together; only what is asked for is imported, since all of it takes a second."""
    app = typer.Typer(
        name="bindery",
        help="Insurance quoting for partners: cyber, technology E&O and professional liability.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    for command in COMMANDS:
        if command.name != asked and COMPLETION not in os.environ:
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


def _top(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=lambda asked: _show_version() if asked else None, is_eager=True),
    ] = False,
) -> None:
    """Read the options that come before any command."""


def _show_version() -> None:
    say(f"bindery {version('bindery')}")
    raise typer.Exit


def _in_plain_words(sentence: str) -> str:
    for theirs, ours in PLAIN_WORDS:
        sentence = re.sub(theirs, ours, sentence)
    return sentence


def _complain(sentence: str, code: int = USAGE_ERROR) -> None:
    # A command called without arguments has shown its help by now, and there is no sentence to add.
    if sentence:
        complaints.print("bindery:", style="bold red", end=" ")
        complaints.print(sentence, markup=False, highlight=False, soft_wrap=not complaints.is_terminal)
    sys.exit(code)
