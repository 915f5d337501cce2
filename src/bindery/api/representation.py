"""What is answered with, and its compressed form for those who take it.

Only gzip: every client has it, and it comes with Python. Brotli would save a tenth more on two pages, for a
dependency in C.
"""

import gzip
import hashlib
from functools import cached_property
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

COMPRESSED_FROM: Final = 1_024
"""What fits into one packet anyway is sent as it is."""
LEVEL: Final = 5
"""A quote takes a tenth of a millisecond; the best level takes several times as long for a hundredth less."""
VARY: Final = {"Vary": "Accept-Encoding"}
_COMPRESSIBLE: Final = ("application/json", "text/")


class Representation:
    """A content with its strong `ETag`; a compressed one has a tag of its own, as HTTP says."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self.content = content
        self.media_type = media_type

    @cached_property
    def etag(self) -> str:
        """Return the tag of the content as it is."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @property
    def gzip_etag(self) -> str:
        """Return the tag of the compressed content."""
        return f'{self.etag[:-1]}-gzip"'

    @cached_property
    def gzipped(self) -> bytes | None:
        """Return the compressed content; none where that is not worth it."""
        return _gzipped(self.content)

    def response(self, request_headers: Headers, headers: dict[str, str]) -> Response:
        """Answer with it, compressed for those who take it."""
        tagged = {**headers, **VARY, "ETag": self.etag}
        content = self.content
        if accepts_gzip(request_headers) and self.gzipped is not None:
            content = self.gzipped
            tagged |= {"ETag": self.gzip_etag, "Content-Encoding": "gzip"}
        return Response(content, headers=tagged, media_type=self.media_type)


def accepts_gzip(request_headers: Headers) -> bool:
    """Whether the client takes gzip, by its `Accept-Encoding`."""
    weights: dict[str, str] = {}
    for coding in ",".join(request_headers.getlist("accept-encoding")).lower().split(","):
        name, _, parameter = coding.partition(";")
        weights[name.strip()] = parameter.replace(" ", "")
    named = weights.get("gzip", weights.get("x-gzip", weights.get("*", "q=0")))
    return named.removeprefix("q=").strip("0.") != "" or named == ""


def compress(response: Response, request_headers: Headers) -> None:
    """Compress an answer that is text and long enough, for those who take it."""
    headers = response.headers
    if "vary" in headers or not headers.get("content-type", "").startswith(_COMPRESSIBLE):
        return
    headers["Vary"] = VARY["Vary"]
    if len(response.body) < COMPRESSED_FROM or not accepts_gzip(request_headers):
        return
    if (compressed := _gzipped(bytes(response.body))) is not None:
        response.body = compressed
        headers["Content-Length"] = str(len(compressed))
        headers["Content-Encoding"] = "gzip"


def _gzipped(content: bytes) -> bytes | None:
    # Without a time, so that the same content gives the same bytes.
    return gzip.compress(content, LEVEL, mtime=0) if len(content) >= COMPRESSED_FROM else None
