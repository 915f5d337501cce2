"""The service that a command talks to, and the exit codes for its refusals."""

import functools
import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

import typer

from bindery.cli import common
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
    common.optional(
        "Address of the service; BINDERY_URL, BINDERY_BASE_URL, or the one of the data folder's demo.",
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
    ),
]
TokenOption = Annotated[
    str | None,
    common.optional(
        "Bearer token; BINDERY_TOKEN, or the one of the data folder's demo.",
        "--token",
        envvar="BINDERY_TOKEN",
        show_envvar=False,
    ),
]
QuoteArgument = Annotated[str, typer.Argument(metavar="QUOTE", help="Identifier of the quote.")]


@dataclass(frozen=True, slots=True)
class ServiceConnection:
    address: str
    token: str


@dataclass(frozen=True, slots=True)
class Service:
    """The options of every command that talks to the service."""

    url: UrlOption = None
    token: TokenOption = None
    data: common.DataOption = None
    as_json: common.JsonOption = False

    @property
    def connection(self) -> ServiceConnection:
        """Find the service: what was given, else what is configured, else the demo of the data folder."""
        settings = common.settings_for(self.data)
        bearer = self.token or common.kept_in(settings, common.TOKEN_FILE)
        if not bearer:
            common.refuse(
                "There is no token: set BINDERY_TOKEN or pass --token (`bindery token issue` creates one)."
            )
        # Without a configured address, that of the demo that last ran on the data folder.
        kept = common.kept_in(settings, common.URL_FILE) if settings.base_url == Settings().base_url else ""
        address = self.url or kept or settings.base_url
        if not address.startswith(("http://", "https://")):
            common.refuse(
                f"The address of the service must begin with http:// or https://: {address!r} does not."
            )
        return ServiceConnection(api_url(address), bearer)

    def client(self) -> AsyncBindery:
        found = self.connection
        return AsyncBindery(found.token, found.address)

    def show(self, value: T, for_a_person: Callable[[T], None]) -> None:
        common.print_json(value) if self.as_json else for_a_person(value)


def service_command(work: Callable[..., Coroutine[Any, Any, int | None]]) -> Callable[..., int]:
    """Turn a function of a `Service` into a command; the options of the service come after its own.

    The exit code is the returned one, or `REFUSED` if the service refuses. No answer is wrong use.
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
    try:
        return common.run(work) or 0
    except ApiError as fault:
        if fault.status == 0:
            common.refuse(f"{fault.message} Is the service running? `make demo` starts the demo.")
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


def show_refusal(fault: ApiError, *, as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "status": fault.status,
                "code": fault.code,
                "message": fault.message,
                "errors": fault.problems,
                "warnings": fault.warnings,
                "reasons": fault.reasons,
                "request_id": fault.request_id,
            }
        )
        return
    if isinstance(fault, NotReady):
        common.show_line(fault.message, common.complaints)
        return
    common.complaints.print("Refused", style="bold red", end=" ")
    what = common.counted(len(fault.problems), "problem") if fault.problems else fault.message
    common.show_line(f"({fault.status} {fault.code}): {what}", common.complaints)
    problems = [(problem.path or "(body)", problem.message) for problem in fault.problems]
    table = common.filled(common.plain_table(), [*problems, *fault.reasons.items()])
    if table.row_count:
        common.complaints.print(common.indented(table))
    for warning in fault.warnings:
        common.show_line(f"{warning.message}.".replace("?.", "?"), common.complaints)
    if fault.request_id:
        common.complaints.print(f"Request {fault.request_id}", style="dim", highlight=False)
