"""The OpenAPI document, and the page that shows it."""

from starlette.responses import HTMLResponse, Response

from bindery.api.call import Call, json_response
from bindery.api.docs_page import render_docs


async def openapi_document(call: Call) -> Response:
    """Give the OpenAPI document."""
    return json_response(_document(call))


async def docs_page(call: Call) -> Response:
    """Show the documentation; the page needs nothing from any other host."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' data:"
    return HTMLResponse(render_docs(_document(call)), headers={"Content-Security-Policy": policy})


def _document(call: Call) -> dict[str, object]:
    return call.shared.openapi
