"""`bindery documents list` and `get`: what a quote has of papers, and their files."""

from pathlib import Path
from typing import Annotated, Final

import typer

from bindery.cli.common import (
    DataOption,
    JsonOption,
    complaints,
    console,
    counted,
    filled,
    plain_table,
    print_json,
    say,
)
from bindery.cli.connection import QuoteArgument, TokenOption, UrlOption, connection_to, talk
from bindery.client import AsyncBindery
from bindery.contract.documents import DocumentType, PacketType

MEANS: Final = {
    DocumentType.QUOTE_LETTER: "the offer, with terms and price",
    DocumentType.POLICY_SPECIMEN: "the wording that a policy would have",
    DocumentType.BINDER: "proof of cover until the policy",
    DocumentType.POLICY: "the policy with all its forms",
    DocumentType.APPLICATION: "the application to be signed",
    DocumentType.RECOMMENDATIONS: "what would make the applicant safer",
    DocumentType.BINDER_TRIA: "the disclosure on terrorism cover",
    DocumentType.BILLING_STATEMENT: "what is to be paid",
    DocumentType.SECURITY_LETTER: "what the scan found, in a letter",
    DocumentType.SECURITY_REPORT: "what the scan found, in full",
    DocumentType.COMPARISON: "the options side by side",
    DocumentType.CERTIFICATE: "shows others what is insured",
    DocumentType.CANCELLATION_NOTICE: "tells of a cancellation",
    DocumentType.LAPSE_NOTICE: "tells that a binder lapsed",
    DocumentType.REINSTATEMENT_NOTICE: "tells that cover is back",
}


def list_documents(
    quote: QuoteArgument,
    *,
    forms: Annotated[
        PacketType | None,
        typer.Option("--forms", help="List the forms of this packet instead.", show_default=False),
    ] = None,
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the documents that a quote has now, or the forms of one of its packets."""

    async def work(bindery: AsyncBindery) -> None:
        if forms is not None:
            found = (await bindery.packet_metadata(quote, forms)).documents
            rows = [[form.form_number, form.title, str(form.edition_date)] for form in found]
            _show(found, ["FORM", "TITLE", "EDITION"], rows, as_json=as_json)
            return
        kinds = (await bindery.wait_for_quote(quote)).available_documents
        rows = [[kind, MEANS.get(DocumentType(kind), "")] for kind in kinds]
        _show(kinds, ["DOCUMENT", "WHAT IT IS"], rows, as_json=as_json)

    return talk(connection_to(url, token, data), work, as_json=as_json)


def get_documents(
    quote: QuoteArgument,
    kinds: Annotated[
        list[DocumentType] | None,
        typer.Argument(metavar="[DOCUMENT]…", help="Which ones; all that there are.", show_default=False),
    ] = None,
    *,
    folder: Annotated[
        Path, typer.Option("--to", metavar="DIR", file_okay=False, help="Where to save them.")
    ] = Path(),
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Save documents of a quote as PDF files."""

    async def work(bindery: AsyncBindery) -> None:
        wanted = kinds or (await bindery.wait_for_quote(quote)).available_documents
        saved = []
        for kind in wanted:
            with complaints.status(f"Saving {kind}…"):
                content = await bindery.download(kind, quote)
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{kind}.pdf"
            file.write_bytes(content)
            saved.append({"document": str(kind), "file": str(file), "size": len(content)})
            if not as_json:
                say(f"{file}  {len(content):,} bytes")
        if as_json:
            print_json(saved)
        else:
            say(f"Saved {counted(len(saved), 'document')}.")

    return talk(connection_to(url, token, data), work, as_json=as_json)


def _show(found: object, columns: list[str], rows: list[list[str]], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    elif rows:
        console.print(filled(plain_table(*columns), rows))
    else:
        say("There are none yet.")
