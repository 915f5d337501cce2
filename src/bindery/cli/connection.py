"""Which service a command talks to, and how its refusals end the command."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bindery.cli.common import (
    TOKEN_FILE,
    URL_FILE,
    complaints,
    counted,
    filled,
    indented,
    plain_table,
    print_json,
    refuse,
    run,
    settings_for,
)
from bindery.client import ApiError, AsyncBindery, NotReady
from bindery.client.call import api_url
from bindery.settings import Settings

REFUSED: Final = 1
NEEDS_A_PERSON: Final = 3
NOT_READY: Final = 4
"""Exit codes of the commands that talk to the service, beside 2 for wrong use."""

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="BINDERY_URL",
        show_envvar=False,
        metavar="URL",
        help="Address of the service; BINDERY_URL, BINDERY_BASE_URL, or that of the data folder's demo.",
        show_default=False,
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="BINDERY_TOKEN",
        show_envvar=False,
        help="Bearer token; BINDERY_TOKEN, or that of the data folder's demo.",
        show_default=False,
    ),
]
QuoteArgument = Annotated[str, typer.Argument(metavar="QUOTE", help="Identifier of the quote.")]


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the service is, and who asks."""

    address: str
    token: str


def connection_to(url: str | None, token: str | None, data: Path | None) -> Connection:
    """Find the service: what was given, else what is configured, else the demo of the data folder.

    Raises:
        InvalidRequest: there is no token, or the address is none.
    """
    settings = settings_for(data)
    bearer = token or _kept(settings, TOKEN_FILE)
    if not bearer:
        refuse("There is no token: set BINDERY_TOKEN or give --token (`bindery token issue` makes one).")
    address = url or _address(settings)
    if not address.startswith(("http://", "https://")):
        refuse(f"The address of the service must begin with http:// or https://: {address!r} does not.")
    return Connection(api_url(address), bearer)


def talk(
    service: Connection, work: Callable[[AsyncBindery], Coroutine[Any, Any, int | None]], *, as_json: bool
) -> int:
    """Do a command's work with the service; its exit code, also where the service refuses.

    Raises:
        InvalidRequest: nobody answers.
    """

    async def talking() -> int:
        async with AsyncBindery(service.token, service.address) as bindery:
            return await work(bindery) or 0

    try:
        return run(talking())
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
    return _kept(settings, URL_FILE) or settings.base_url


def _kept(settings: Settings, name: str) -> str:
    kept = settings.data_dir / name
    return kept.read_text().strip() if kept.is_file() else ""


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
        complaints.print(fault.message, markup=False, highlight=False, soft_wrap=True)
        return
    complaints.print("Refused", style="bold red", end=" ")
    summary = f"({fault.status} {fault.code})"
    if fault.problems:
        summary += f": {counted(len(fault.problems), 'problem')}"
    else:
        summary += f": {fault.message}"
    complaints.print(summary, markup=False, highlight=False, soft_wrap=True)
    table = filled(
        plain_table(),
        [(problem.path or "(body)", problem.message) for problem in fault.problems]
        + list(fault.reasons.items()),
    )
    if table.row_count:
        complaints.print(indented(table))
    if fault.request_id:
        complaints.print(f"Request {fault.request_id}", style="dim", highlight=False)
