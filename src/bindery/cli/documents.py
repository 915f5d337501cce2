"""The documents of a quote; the description of the API."""

import typer

from bindery.api.openapi import openapi_document
from bindery.api.operations import operations_for
from bindery.cli.common import DataOption, print_json, settings_for
from bindery.cli.papers import get_documents, list_documents

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
