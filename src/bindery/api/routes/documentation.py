"""The OpenAPI document, and the page that shows it."""

from starlette.responses import Response

from bindery.api.call import Call
from bindery.api.docs_page import CONTENT_POLICY
from bindery.http.headers import REVALIDATE


async def openapi_document(call: Call) -> Response:
    """Return the OpenAPI document."""
    return call.with_etag(call.shared.openapi, {"Cache-Control": REVALIDATE})


async def docs_page(call: Call) -> Response:
    """Show the documentation; the page needs nothing from any other host."""
    headers = {"Cache-Control": REVALIDATE, "Content-Security-Policy": CONTENT_POLICY}
    return call.with_etag(call.shared.docs, headers)
