"""`bindery upload`: send a file for a quote, and show what it turned out to be."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from bindery.cli.common import console, optional, read_file, say, show_fields
from bindery.cli.connection import NEEDS_A_PERSON, QuoteArgument, Service, service_command
from bindery.client import AsyncBindery
from bindery.client.calls import signature_contingency
from bindery.contract.documents import UploadFinding, UploadReceipt
from bindery.contract.quote import QuoteBody

NO_CONTINGENCY: Final = "none"
STYLES: Final = {
    UploadFinding.MATCHED: "green",
    UploadFinding.ALTERED: "red",
    UploadFinding.OTHER_QUOTE: "red",
    UploadFinding.DAMAGED: "red",
}
UNFIT: Final = frozenset({UploadFinding.ALTERED, UploadFinding.OTHER_QUOTE, UploadFinding.DAMAGED})
"""What no attestation can rely on."""


@dataclass(frozen=True, slots=True)
class Uploading:
    """A file to upload; without a contingency it is for the signature that the quote asks for, if any."""

    content: bytes
    name: str
    contingency: str | None = None


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
    3  taken, but altered, of another quote or damaged: no bind can be attested on it
    """
    uploading = Uploading(read_file(file), name or file.name, contingency)
    async with service.client() as bindery:
        receipt = await send_upload(bindery, await bindery.wait_for_quote(quote), uploading)
    service.show(receipt, _show)
    return NEEDS_A_PERSON if receipt.finding in UNFIT else 0


async def send_upload(bindery: AsyncBindery, quote: QuoteBody, uploading: Uploading) -> UploadReceipt:
    """Upload a file for the contingency that it names, or for the open signature where it names none."""
    contingency = uploading.contingency
    if contingency is None:
        try:
            contingency = signature_contingency(quote)
        except ValueError:
            contingency = NO_CONTINGENCY
    return await bindery.upload_document(
        quote,
        uploading.content,
        name=uploading.name,
        contingency=None if contingency == NO_CONTINGENCY else contingency,
    )


def _show(receipt: UploadReceipt) -> None:
    console.print(f"Taken: {receipt.finding}", style=f"bold {STYLES.get(receipt.finding, '')}".strip())
    show_fields(
        [
            ("Upload", receipt.document_id),
            ("Quote", receipt.quote_identifier),
            ("Contingency", receipt.contingency or "none"),
            ("Name", f"{receipt.name}, {receipt.content_type}, {receipt.size:,} bytes"),
        ]
    )
    say(receipt.message)
