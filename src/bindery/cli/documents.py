"""The documents of a quote; the description of the API."""

from pathlib import Path
from typing import Annotated

import typer

from bindery.api.openapi import openapi_document
from bindery.api.operations import operations_for
from bindery.cli import common
from bindery.cli.connection import QuoteArgument, Service, service_command
from bindery.contract.documents import ABOUT, DocumentType, PacketType

SIGNED = "signed_application"


@service_command
async def list_documents(
    service: Service,
    quote: QuoteArgument,
    *,
    forms: Annotated[
        PacketType | None, common.optional("List the forms of this packet instead.", "--forms")
    ] = None,
) -> None:
    """List the documents that a quote has now, or the forms of one of its packets.

    Example: bindery documents list 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 --forms quote
    """
    async with service.client() as bindery:
        if forms is not None:
            found = (await bindery.packet_metadata(quote, forms)).documents
            rows = [[form.form_number, form.title, str(form.edition_date)] for form in found]
            _show(found, ["FORM", "TITLE", "EDITION"], rows, as_json=service.as_json)
            return
        kinds = (await bindery.wait_for_quote(quote)).available_documents
        rows = [[kind, ABOUT[DocumentType(kind)].meaning] for kind in kinds]
        _show(kinds, ["DOCUMENT", "WHAT IT IS"], rows, as_json=service.as_json)


@service_command
async def get_documents(
    service: Service,
    quote: QuoteArgument,
    kinds: Annotated[
        list[DocumentType] | None,
        typer.Argument(metavar="[DOCUMENT]…", help="Which ones; all if not given.", show_default=False),
    ] = None,
    *,
    signed: Annotated[
        bool, typer.Option("--signed", help="Only on the demo: the application, signed by the applicant.")
    ] = False,
    folder: Annotated[
        Path, typer.Option("--to", metavar="DIR", file_okay=False, help="Where to save them.")
    ] = Path(),
) -> None:
    """Save documents of a quote as PDF files.

    Example: bindery documents get 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 quote_letter --to papers
    """
    saved = []
    async with service.client() as bindery:
        available = [SIGNED] if signed else (await bindery.wait_for_quote(quote)).available_documents
        for kind in kinds or available:
            with common.complaints.status(f"Saving {kind}…"):
                is_signed = kind == SIGNED
                content = await (
                    bindery.signed_application(quote) if is_signed else bindery.download(kind, quote)
                )
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{kind}.pdf"
            file.write_bytes(content)
            saved.append({"document": str(kind), "file": str(file), "size": len(content)})
            if not service.as_json:
                common.say(f"{file}  {len(content):,} bytes")
    service.show(saved, lambda saved: common.say(f"Saved {common.counted(len(saved), 'document')}."))


def _show(found: object, columns: list[str], rows: list[list[str]], *, as_json: bool) -> None:
    if as_json:
        common.print_json(found)
    elif rows:
        common.print_table(columns, rows)
    else:
        common.say("There are none yet.")


app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.command("list")(list_documents)
app.command("get")(get_documents)


@app.callback()
def _group() -> None:
    """The documents that the service makes."""


def openapi(
    *,
    no_webhooks: Annotated[
        bool,
        typer.Option(
            "--no-webhooks",
            help="Leave out what is delivered to webhooks: some generators cannot read it.",
        ),
    ] = False,
    data: common.DataOption = None,
) -> None:
    """Print the OpenAPI document of the configured environment."""
    settings = common.settings_for(data)
    common.print_json(
        openapi_document(
            operations_for(settings.environment), base_url=settings.base_url, with_webhooks=not no_webhooks
        )
    )
