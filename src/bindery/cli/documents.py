from bindery.api.openapi import openapi_document
from bindery.api.operations import operations_for
from bindery.cli.common import DataOption, print_json, settings_for


def openapi(*, data: DataOption = None) -> None:
    """Print the OpenAPI document of the configured environment."""
    settings = settings_for(data)
    print_json(openapi_document(operations_for(settings.environment), base_url=settings.base_url))
