"""`bindery bind`: bind what was quoted."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from bindery.cli.common import DataOption, JsonOption, console, print_json, say, show_fields
from bindery.cli.connection import (
    NEEDS_A_PERSON,
    QuoteArgument,
    TokenOption,
    UrlOption,
    connection_to,
    talk,
)
from bindery.cli.quote_shown import status_text
from bindery.cli.upload import Uploading, read_upload, send_upload
from bindery.client import AsyncBindery
from bindery.contract.binds import BindOutcome, BindReceipt

SAID = {
    BindOutcome.POLICY_ISSUED: ("The policy is issued.", "bold green"),
    BindOutcome.CONDITIONAL_BINDER: (
        "A conditional binder: there is cover, and the policy follows when what is owed is fulfilled.",
        "bold green",
    ),
    BindOutcome.BIND_REQUESTED: ("The bind is requested: an underwriter decides.", "bold yellow"),
}


def bind(
    quote: QuoteArgument,
    *,
    attest: Annotated[
        bool,
        typer.Option(
            "--attest", help="The uploaded application is complete and unchanged: issue the policy."
        ),
    ] = False,
    signed: Annotated[
        Path | None,
        typer.Option(
            "--signed", metavar="FILE", help="Upload this signed application first.", show_default=False
        ),
    ] = None,
    effective: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], metavar="DATE", help="First day; the quoted one.", show_default=False
        ),
    ] = None,
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Bind a quote, from the quoted day unless another is given.

    Example: bindery bind 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 --signed application.pdf --attest

    Exit codes:
    0  the policy is issued, or there is a conditional binder
    1  refused by the service
    2  wrong use, or nobody answers
    3  an underwriter decides
    4  the quote is still being worked on
    """
    content = None if signed is None else read_upload(signed)

    async def work(bindery: AsyncBindery) -> int:
        shown = await bindery.wait_for_quote(quote)
        if content is not None and signed is not None:
            await send_upload(bindery, shown, Uploading(content, signed.name))
        day = None if effective is None else effective.date()
        receipt = await bindery.bind(shown, attested=attest, effective=day)
        print_json(receipt) if as_json else _show(receipt)
        return NEEDS_A_PERSON if receipt.outcome is BindOutcome.BIND_REQUESTED else 0

    return talk(connection_to(url, token, data), work, as_json=as_json)


def _show(receipt: BindReceipt) -> None:
    sentence, style = SAID[receipt.outcome]
    console.print(sentence, style=style, highlight=False)
    show_fields(
        [
            ("Policy", receipt.policy_number or ""),
            ("Quote", receipt.quote_identifier),
            ("Status", status_text(receipt.quote_status)),
        ]
    )
    if receipt.policy_number:
        say(f"`bindery documents get {receipt.quote_identifier}` saves its papers.")
