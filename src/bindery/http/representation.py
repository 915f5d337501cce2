"""What is answered with, and its compressed forms for those who take them."""

import hashlib
from functools import cached_property
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

from bindery.http.content_coding import Coding, coding_for

VARY: Final = {"Vary": "Accept-Encoding"}
_COMPRESSIBLE: Final = ("application/json", "text/")


class Representation:
    """A content with its strong `ETag`; each compressed form has a tag of its own, as HTTP says."""

    def __init__(self, content: bytes, media_type: str, *, is_kept: bool = False) -> None:
        self.content = content
        self.media_type = media_type
        self._is_kept = is_kept
        self._compressed: dict[Coding, bytes] = {}

    @cached_property
    def etag(self) -> str:
        """Return the tag of the content as it is."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @property
    def etags(self) -> tuple[str, ...]:
        """Return the tags of the content as it is and of its compressed forms."""
        return (self.etag, *map(self._etag_of, Coding))

    def response(self, request_headers: Headers, headers: dict[str, str]) -> Response:
        """Answer with it, compressed for those who take it."""
        tagged = {**headers, **VARY, "ETag": self.etag}
        content = self.content
        if (coding := coding_for(request_headers, len(content))) is not None:
            content = self._compressed_by(coding)
            tagged |= {"ETag": self._etag_of(coding), "Content-Encoding": coding}
        return Response(content, headers=tagged, media_type=self.media_type)

    def _etag_of(self, coding: Coding) -> str:
        return f'{self.etag[:-1]}-{coding}"'

    def _compressed_by(self, coding: Coding) -> bytes:
        if coding not in self._compressed:
            self._compressed[coding] = coding.compress(self.content, is_kept=self._is_kept)
        return self._compressed[coding]


def compress(response: Response, request_headers: Headers) -> None:
    """Compress an answer that is text and long enough, for those who take it."""
    headers = response.headers
    if "vary" in headers or not headers.get("content-type", "").startswith(_COMPRESSIBLE):
        return
    headers["Vary"] = VARY["Vary"]
    content = bytes(response.body)
    if (coding := coding_for(request_headers, len(content))) is not None:
        response.body = coding.compress(content, is_kept=False)
        headers["Content-Length"] = str(len(response.body))
        headers["Content-Encoding"] = coding
