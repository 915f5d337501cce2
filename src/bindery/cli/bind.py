"""`bindery bind`: bind what was quoted."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from bindery.cli.common import console, optional, read_file, say, show_fields
from bindery.cli.connection import NEEDS_A_PERSON, QuoteArgument, Service, service_command
from bindery.cli.quote_shown import status_text
from bindery.cli.upload import Uploading, send_upload
from bindery.contract.binds import BindOutcome, BindReceipt

SAID = {
    BindOutcome.POLICY_ISSUED: ("The policy is issued.", "bold green"),
    BindOutcome.CONDITIONAL_BINDER: (
        "A conditional binder: there is cover, and the policy follows once everything owed has come in.",
        "bold green",
    ),
    BindOutcome.BIND_REQUESTED: ("The bind is requested: an underwriter decides.", "bold yellow"),
}


@service_command
async def bind(
    service: Service,
    quote: QuoteArgument,
    *,
    attest: Annotated[
        bool,
        typer.Option(
            "--attest", help="The uploaded application is complete and unchanged: issue the policy."
        ),
    ] = False,
    signed: Annotated[
        Path | None, optional("Upload this signed application first.", "--signed", metavar="FILE")
    ] = None,
    effective: Annotated[
        datetime | None,
        optional("First day; the quoted one if not given.", formats=["%Y-%m-%d"], metavar="DATE"),
    ] = None,
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
    uploading = None if signed is None else Uploading(read_file(signed), signed.name)
    async with service.client() as bindery:
        shown = await bindery.wait_for_quote(quote)
        if uploading is not None:
            await send_upload(bindery, shown, uploading)
        day = None if effective is None else effective.date()
        receipt = await bindery.bind(shown, attested=attest, effective=day)
    service.show(receipt, _show)
    return NEEDS_A_PERSON if receipt.outcome is BindOutcome.BIND_REQUESTED else 0


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
        say(f"`bindery documents get {receipt.quote_identifier}` saves its documents.")
