"""Which service a command talks to, and how its refusals end the command."""

import functools
import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

import typer

from bindery.cli.common import (
    TOKEN_FILE,
    URL_FILE,
    DataOption,
    JsonOption,
    complaints,
    counted,
    filled,
    indented,
    kept_in,
    optional,
    plain_table,
    print_json,
    refuse,
    run,
    settings_for,
    show_line,
)
from bindery.client import ApiError, AsyncBindery, NotReady
from bindery.client.call import api_url
from bindery.settings import Settings

T = TypeVar("T")

REFUSED: Final = 1
NEEDS_A_PERSON: Final = 3
NOT_READY: Final = 4
"""Exit codes of the commands that talk to the service, in addition to 2 for wrong use."""

UrlOption = Annotated[
    str | None,
    optional(
        "Address of the service; BINDERY_URL, BINDERY_BASE_URL, or the one of the data folder's demo.",
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
    ),
]
TokenOption = Annotated[
    str | None,
    optional(
        "Bearer token; BINDERY_TOKEN, or the one of the data folder's demo.",
        "--token",
        envvar="BINDERY_TOKEN",
        show_envvar=False,
    ),
]
QuoteArgument = Annotated[str, typer.Argument(metavar="QUOTE", help="Identifier of the quote.")]


@dataclass(frozen=True, slots=True)
class ServiceConnection:
    """Where the service is, and who asks."""

    address: str
    token: str


@dataclass(frozen=True, slots=True)
class Service:
    """The options of every command that talks to the service: where it is, and who reads the answers."""

    url: UrlOption = None
    token: TokenOption = None
    data: DataOption = None
    as_json: JsonOption = False

    @property
    def connection(self) -> ServiceConnection:
        """Find the service: what was given, else what is configured, else the demo of the data folder.

        Raises:
            InvalidRequest: there is no token, or the address is not one of a web service.
        """
        settings = settings_for(self.data)
        bearer = self.token or kept_in(settings, TOKEN_FILE)
        if not bearer:
            refuse(
                "There is no token: set BINDERY_TOKEN or pass --token (`bindery token issue` creates one)."
            )
        address = self.url or _address(settings)
        if not address.startswith(("http://", "https://")):
            refuse(f"The address of the service must begin with http:// or https://: {address!r} does not.")
        return ServiceConnection(api_url(address), bearer)

    def client(self) -> AsyncBindery:
        """Return a client of the service, to be closed by whoever asks for it.

        Raises:
            InvalidRequest: there is no token.
        """
        found = self.connection
        return AsyncBindery(found.token, found.address)

    def show(self, value: T, for_a_person: Callable[[T], None]) -> None:
        """Print a value as JSON for a script, or as a person reads it."""
        print_json(value) if self.as_json else for_a_person(value)


def service_command(work: Callable[..., Coroutine[Any, Any, int | None]]) -> Callable[..., int]:
    """Make a command of what is done with a `Service`, whose options come after those of its own.

    The exit code is what the work returns, also where the service refuses; nobody answering is wrong use.
    """

    @functools.wraps(work)
    def command(**given: Any) -> int:  # noqa: ANN401 - what the command line says
        service = Service(**{name: given.pop(name) for name in shared})
        return talk(work(service, **given), as_json=service.as_json)

    own = [*inspect.signature(work).parameters.values()][1:]
    shared = {
        name: option.replace(kind=option.KEYWORD_ONLY)
        for name, option in inspect.signature(Service).parameters.items()
    }
    signature = inspect.Signature([*own, *shared.values()])
    command.__signature__ = signature  # type: ignore[attr-defined]  # where typer looks for options
    return command


def talk(work: Coroutine[Any, Any, int | None], *, as_json: bool) -> int:
    """Do a command's work with the service; its exit code, also where the service refuses.

    Raises:
        InvalidRequest: nobody answers.
    """
    try:
        return run(work) or 0
    except ApiError as fault:
        if fault.status == 0:
            refuse(f"{fault.message} Is the service running? `make demo` starts the demo.")
        show_refusal(fault, as_json=as_json)
        return NOT_READY if isinstance(fault, NotReady) else REFUSED


async def is_demo(bindery: AsyncBindery) -> bool:
    """Whether the service is a demo, which alone has a clock to show."""
    try:
        await bindery.show_clock()
    except ApiError as fault:
        if fault.status != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True


def _address(settings: Settings) -> str:
    """Return the configured address; without one, that of the demo that last ran on the data folder."""
    if settings.base_url != Settings().base_url:
        return settings.base_url
    return kept_in(settings, URL_FILE) or settings.base_url


def show_refusal(fault: ApiError, *, as_json: bool) -> None:
    """Show what the service said, every problem with its path."""
    if as_json:
        print_json(
            {
                "status": fault.status,
                "code": fault.code,
                "message": fault.message,
                "errors": fault.problems,
                "reasons": fault.reasons,
                "request_id": fault.request_id,
            }
        )
        return
    if isinstance(fault, NotReady):
        show_line(fault.message, complaints)
        return
    complaints.print("Refused", style="bold red", end=" ")
    what = counted(len(fault.problems), "problem") if fault.problems else fault.message
    show_line(f"({fault.status} {fault.code}): {what}", complaints)
    problems = [(problem.path or "(body)", problem.message) for problem in fault.problems]
    table = filled(plain_table(), [*problems, *fault.reasons.items()])
    if table.row_count:
        complaints.print(indented(table))
    if fault.request_id:
        complaints.print(f"Request {fault.request_id}", style="dim", highlight=False)
