"""`bindery upload` and `bindery bind`: send the signed application, and bind what was quoted."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from bindery.cli.common import console, optional, read_file, say, show_fields
from bindery.cli.connection import NEEDS_A_PERSON, QuoteArgument, Service, service_command
from bindery.cli.quote_shown import status_text
from bindery.client import AsyncBindery
from bindery.client.calls import signature_contingency
from bindery.contract.binds import BindOutcome, BindReceipt
from bindery.contract.documents import SignatureFinding, UploadFinding, UploadReceipt
from bindery.contract.quote import QuoteBody

NO_CONTINGENCY: Final = "none"
STYLES: Final = {
    UploadFinding.MATCHED: "green",
}
UNFIT: Final = frozenset({UploadFinding.ALTERED, UploadFinding.OTHER_QUOTE, UploadFinding.DAMAGED})
"""Findings with which an upload cannot be attested."""
SAID = {
    BindOutcome.POLICY_ISSUED: ("The policy is issued.", "bold green"),
    BindOutcome.CONDITIONAL_BINDER: (
        "A binder: there is cover, and the policy follows once everything owed has come in.",
        "bold green",
    ),
    BindOutcome.BIND_REQUESTED: ("The bind is requested: an underwriter decides.", "bold yellow"),
}


@service_command
async def upload(
    service: Service,
    quote: QuoteArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="PDF, PNG, JPEG, TIFF or DOCX, up to 25 MB.")],
    *,
    contingency: Annotated[
        str | None,
        optional(
            "The contingency it fulfills; the open signature if not given, `none` for no contingency.",
            metavar="ID",
        ),
    ] = None,
    name: Annotated[
        str | None, optional("What to call it; the file's name if not given.", metavar="NAME")
    ] = None,
) -> int:
    """Upload a file for a quote: the signed application, unless something else is named.

    Example: bindery upload 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 application.pdf

    Exit codes:
    0  taken
    1  refused by the service
    2  wrong use, or nobody answers
    3  taken, but unsigned, incomplete, altered, of another quote or damaged: no bind can be attested on it
    """
    content = read_file(file)
    async with service.client() as bindery:
        shown = await bindery.wait_for_quote(quote)
        receipt = await _send(bindery, shown, content, name or file.name, contingency)
    service.show(receipt, _show_upload)
    return NEEDS_A_PERSON if _is_unfit(receipt) else 0


def _is_unfit(receipt: UploadReceipt) -> bool:
    is_partial = receipt.pages is not None and receipt.pages.found < receipt.pages.of
    return receipt.finding in UNFIT or receipt.signature is SignatureFinding.NOT_FOUND or is_partial


async def _send(
    bindery: AsyncBindery, quote: QuoteBody, content: bytes, name: str, contingency: str | None = None
) -> UploadReceipt:
    """Upload a file; without a contingency it is for the signature that the quote asks for, if any."""
    if contingency is None:
        try:
            contingency = signature_contingency(quote)
        except ValueError:
            contingency = NO_CONTINGENCY
    fulfilled = None if contingency == NO_CONTINGENCY else contingency
    return await bindery.upload_document(quote, content, name=name, contingency=fulfilled)


def _show_upload(receipt: UploadReceipt) -> None:
    style = "red" if _is_unfit(receipt) else STYLES.get(receipt.finding, "")
    console.print(f"Taken: {receipt.finding}", style=f"bold {style}".strip())
    show_fields(
        [
            ("Upload", receipt.document_id),
            ("Quote", receipt.quote_identifier),
            ("Contingency", receipt.contingency or "none"),
            ("Signature", receipt.signature or "not looked for"),
            ("Pages", f"{receipt.pages.found} of {receipt.pages.of}" if receipt.pages else "not known"),
            ("Name", f"{receipt.name}, {receipt.content_type}, {receipt.size:,} bytes"),
        ]
    )
    say(receipt.message)


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
    0  the policy is issued, or there is a binder
    1  refused by the service
    2  wrong use, or nobody answers
    3  an underwriter decides
    4  the quote is still being worked on
    """
    content = None if signed is None else read_file(signed)
    async with service.client() as bindery:
        shown = await bindery.wait_for_quote(quote)
        if signed is not None and content is not None:
            await _send(bindery, shown, content, signed.name)
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
