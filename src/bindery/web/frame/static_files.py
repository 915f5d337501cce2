"""Stylesheet, scripts and pictures: their addresses hold a hash of their content, so browsers keep them."""

import hashlib
from importlib.resources import files
from typing import Final

from starlette.responses import Response

from bindery.base.errors import NotFound
from bindery.web.frame.visit import Visit

_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_KEEP: Final = "public, max-age=31536000, immutable"


def _load() -> dict[str, tuple[str, bytes, str]]:
    found = {}
    for file in sorted(files("bindery.web").joinpath("static").iterdir(), key=lambda entry: entry.name):
        stem, _, suffix = file.name.rpartition(".")
        if suffix in _TYPES:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:12]
            found[file.name] = (f"{stem}.{digest}.{suffix}", content, _TYPES[suffix])
    return found


_FILES: Final = _load()
_BY_ADDRESS: Final = {address: (content, kind) for address, content, kind in _FILES.values()}


def address_of(name: str) -> str:
    return f"/static/{_FILES[name][0]}"


async def send_static(visit: Visit) -> Response:
    found = _BY_ADDRESS.get(visit.request.path_params["name"])
    if found is None:
        raise NotFound("There is no such file.")
    content, kind = found
    return Response(content, headers={"Cache-Control": _KEEP}, media_type=kind)
