"""The OpenAPI document, and the site that explains and shows it."""

from starlette.responses import HTMLResponse, Response

from bindery.api.call import Call
from bindery.api.docs_page import CONTENT_POLICY as REFERENCE_POLICY
from bindery.api.errors import UnknownPath
from bindery.api.guide.site import CONTENT_POLICY
from bindery.http.representation import REVALIDATE, Representation


async def openapi_document(call: Call) -> Response:
    """Return the OpenAPI document."""
    return call.with_etag(call.shared.openapi, {"Cache-Control": REVALIDATE})


async def docs_page(call: Call) -> Response:
    """Show the first page of the documentation."""
    return _shown(call, call.shared.site.page("overview"), CONTENT_POLICY)


async def guide_page(call: Call) -> Response:
    """Show a page of the guide, or its text."""
    return _shown(call, call.shared.site.page(call.request.path_params["page"]), CONTENT_POLICY)


async def reference(call: Call) -> Response:
    """Show every operation; the page needs nothing from any other host."""
    return _shown(call, call.shared.site.reference, REFERENCE_POLICY)


async def for_programs(call: Call) -> Response:
    """Return the index of the documentation for programs."""
    return call.with_etag(call.shared.site.for_programs, {"Cache-Control": REVALIDATE})


async def changelog_feed(call: Call) -> Response:
    """Return the changelog as a feed."""
    return call.with_etag(call.shared.site.changelog_feed, {"Cache-Control": REVALIDATE})


async def search(call: Call) -> Response:
    """Show what the documentation says about something."""
    page = call.shared.site.found(call.request.query_params.get("q", ""))
    return HTMLResponse(
        page, headers={"Content-Security-Policy": CONTENT_POLICY, "Cache-Control": REVALIDATE}
    )


def _shown(call: Call, page: Representation | None, policy: str) -> Response:
    if page is None:
        raise UnknownPath(f"There is nothing at {call.request.url.path}; /docs has the contents.")
    return call.with_etag(page, {"Cache-Control": REVALIDATE, "Content-Security-Policy": policy})
