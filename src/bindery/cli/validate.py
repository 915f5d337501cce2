"""`bindery validate`: what the service would say of a request file."""

from bindery.cli.common import (
    DataOption,
    JsonOption,
    RequestFile,
    console,
    counted,
    filled,
    indented,
    plain_table,
    print_json,
    read_request,
    say,
    show_list,
)
from bindery.cli.connection import REFUSED, TokenOption, UrlOption, connection_to, talk
from bindery.client import AsyncBindery
from bindery.contract.service import ValidateResponse


def validate(
    file: RequestFile,
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check a request file; nothing is written.

    Example: bindery validate request.json

    Exit codes:
    0  the service would take it
    1  it would not, or it refused to look at it
    2  wrong use, or nobody answers
    """
    body = read_request(file)

    async def work(bindery: AsyncBindery) -> int:
        found = await bindery.validate_quotes(body)
        print_json(found) if as_json else show_findings(found)
        return 0 if found.valid else REFUSED

    return talk(connection_to(url, token, data), work, as_json=as_json)


def show_findings(found: ValidateResponse) -> None:
    """Show whether a request would be taken, every problem with its path, and what else is worth knowing."""
    if found.valid:
        console.print("Valid", style="bold green", end="")
        say(": the service would take it.")
    else:
        count = len(found.errors) + found.errors_left_out
        console.print("Not valid", style="bold red", end="")
        say(f": {counted(count, 'problem')}.")
        console.print(
            indented(
                filled(
                    plain_table(),
                    [(problem.path or "(body)", problem.message) for problem in found.errors],
                )
            )
        )
    if found.errors_left_out:
        say(f"  … and {found.errors_left_out:,} more.")
    if found.missing:
        say(f"Answers that are missing: {', '.join(found.missing)}.")
    if found.warnings:
        rows = [(warning.path or "(body)", warning.message) for warning in found.warnings]
        show_list("Taken, and not as it seems", filled(plain_table(), rows))
    if found.referral_reasons:
        rows = [(reason.code, reason.text) for reason in found.referral_reasons]
        show_list("What would refer it to an underwriter", filled(plain_table(), rows))
