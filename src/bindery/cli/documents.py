"""The documents that the service makes, those of a quote and a gallery; the description of its API."""

from pathlib import Path
from typing import Annotated

import typer

from bindery.api.openapi import openapi_document
from bindery.api.operations import operations_for
from bindery.cli.common import DataOption, JsonOption, print_json, refuse, run, say, settings_for, show_result
from bindery.cli.papers import get_documents, list_documents
from bindery.contract.documents import DocumentType

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.command("list")(list_documents)
app.command("get")(get_documents)


@app.callback()
def _group() -> None:
    """The documents that the service makes."""


def openapi(*, data: DataOption = None) -> None:
    """Print the OpenAPI document of the configured environment."""
    settings = settings_for(data)
    print_json(openapi_document(operations_for(settings.environment), base_url=settings.base_url))


@app.command(
    "gallery",
    help="Make every document of every product in hard cases, as PDFs and pictures, with a page to view "
    "them.",
)
def gallery(
    folder: Annotated[Path, typer.Argument(metavar="DIR", file_okay=False, help="Where to put them.")],
    *,
    only: Annotated[
        list[DocumentType] | None,
        typer.Option("--only", metavar="TYPE", help="Only this document type; may be given again."),
    ] = None,
    cases: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="CASE", help="Only this case, such as A; may be given again."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make the gallery; it needs no database."""
    # Imported when it is needed: the other command of this file has no use for the compiler of papers.
    from bindery.cli.gallery.cases import CASES  # noqa: PLC0415
    from bindery.cli.gallery.sheets import make_gallery  # noqa: PLC0415

    known = [case.key for case in CASES]
    for key in cases or ():
        if key not in known:
            refuse(f"There is no case {key}; there are {', '.join(known)}.")
    walls = run(
        make_gallery(
            folder,
            only=only or (),
            cases=cases or (),
            tell=lambda case: None if as_json else say(f"{case.key}: {case.title}"),
        )
    )
    sheets = [sheet for wall in walls for sheet in wall.sheets]
    pages = sum(len(sheet.pictures) for sheet in sheets)
    index = folder / "index.html"
    sentence = f"{len(sheets):,} documents on {pages:,} pages. Open {index}"
    show_result({"index": str(index), "papers": len(sheets), "pages": pages}, sentence, as_json=as_json)
