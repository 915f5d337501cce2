"""The stylesheet and its like: their addresses hold a hash of their content, so browsers keep them."""

import re
from importlib.resources import files
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.http.kept_files import kept_name
from bindery.web.frame.visit import Visit

_TYPES: Final = {
    "woff2": "font/woff2",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
"""In this order: the stylesheet names the font by its address."""
_COMMENTS: Final = {
    "css": re.compile(rb"^ */\*[^*]*\*/\n", re.MULTILINE),
    "js": re.compile(rb"^ *//.*\n", re.MULTILINE),
}
"""Lines of comment alone, which are for us and are not sent."""
_KEEP: Final = "public, max-age=31536000, immutable"


def _load() -> dict[str, tuple[str, bytes, str]]:
    found: dict[str, tuple[str, bytes, str]] = {}
    folder = files("bindery.web").joinpath("static")
    names = sorted(file.name for file in folder.iterdir())
    for suffix, kind in _TYPES.items():
        for name in (name for name in names if name.endswith(f".{suffix}")):
            content = folder.joinpath(name).read_bytes()
            if suffix in _COMMENTS:
                content = _COMMENTS[suffix].sub(b"", content)
            if suffix == "css":
                for other, (address, _, _) in found.items():
                    content = content.replace(f'url("{other}")'.encode(), f'url("{address}")'.encode())
            found[name] = (kept_name(name, content), content, kind)
    return found


_FILES: Final = _load()
_BY_ADDRESS: Final = {address: (content, kind) for address, content, kind in _FILES.values()}


def address_of(name: str) -> str:
    return f"/static/{_FILES[name][0]}"


def bytes_sent(suffix: str) -> int:
    return sum(len(content) for name, (_, content, _) in _FILES.items() if name.endswith(suffix))


async def send_static(visit: Visit) -> Response:
    found = _BY_ADDRESS.get(visit.request.path_params["name"])
    if found is None:
        raise NotFound("There is no such file.")
    content, kind = found
    return Response(content, headers={"Cache-Control": _KEEP}, media_type=kind)
