"""What the service hands out to take away."""

import asyncio

from starlette.responses import HTMLResponse, Response

from bindery.api.call import Call
from bindery.api.errors import UnknownPath
from bindery.api.guide.site import CONTENT_POLICY
from bindery.http.representation import REVALIDATE


async def packages_page(call: Call) -> Response:
    shelf = call.shared.shelf
    packages = (await asyncio.to_thread(lambda: shelf.packages)).values()
    page = call.shared.site.packages_page(packages)
    headers = {"Cache-Control": REVALIDATE, "Content-Security-Policy": CONTENT_POLICY}
    return HTMLResponse(page, headers=headers)


async def package(call: Call) -> Response:
    """Send a package as it is: an archive is compressed already, and its hash is that of what arrives."""
    shelf = call.shared.shelf
    name: str = call.request.path_params["package"]
    found = (await asyncio.to_thread(lambda: shelf.packages)).get(name)
    if found is None:
        meant = shelf.meant(name)
        hint = f"did you mean {meant}? " if meant else ""
        raise UnknownPath(f"There is no package {name}: {hint}/packages/ has the list.")
    headers = {"Cache-Control": REVALIDATE, "ETag": found.etag}
    if call.held_tag(found.etag) is not None:
        return Response(status_code=304, headers=headers)
    headers |= {"Content-Disposition": f'attachment; filename="{found.name}"', "Vary": "Accept-Encoding"}
    return Response(found.content, headers=headers, media_type=found.media_type)
