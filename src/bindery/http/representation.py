"""Contents of answers: compressed, in part, and with their headers."""

import gzip
import hashlib
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

import brotli
from starlette.datastructures import Headers
from starlette.responses import Response

from bindery.base.numbers import read_digits
from bindery.http.errors import RangeNotSatisfiable
from bindery.settings import Settings

COMPRESSED_FROM: Final = 1_024
"""What fits into one packet anyway is sent as it is."""
GZIP_LEVEL: Final = 5
"""A quote takes a tenth of a millisecond; the best level takes several times as long for a hundredth less."""
BROTLI_QUALITY: Final = 4
"""The lowest that makes less than gzip of a quote, in about the same time."""
BROTLI_QUALITY_KEPT: Final = 9
"""Makes a fifth less than gzip of the OpenAPI document in 60 ms; the best would hold everybody up for 800."""
_ONE_RANGE: Final = re.compile(r"bytes=\s*([0-9]*)-([0-9]*)\s*", re.IGNORECASE)
_IDENTITY: Final = "identity"
_WEIGHT: Final = re.compile(r"q=(0(?:\.[0-9]*)?|1(?:\.0*)?)")
_OTHER_NAMES: Final = {"x-gzip": "gzip"}


class Coding(StrEnum):
    """Compressions of answers; of those that a client prefers equally the first is taken."""

    BROTLI = "br"
    GZIP = "gzip"

    def compress(self, content: bytes, *, is_kept: bool) -> bytes:
        match self:
            case Coding.BROTLI:
                quality = BROTLI_QUALITY_KEPT if is_kept else BROTLI_QUALITY
                compressed: bytes = brotli.compress(content, mode=brotli.MODE_TEXT, quality=quality)
                return compressed
            case Coding.GZIP:
                # Without a time, so that the same content gives the same bytes.
                return gzip.compress(content, GZIP_LEVEL, mtime=0)


def coding_for(request_headers: Headers, length: int) -> Coding | None:
    wanted, takes_plain = _wanted(",".join(request_headers.getlist("accept-encoding")).lower())
    compressed_from = COMPRESSED_FROM if takes_plain else 1
    return wanted if length >= compressed_from else None


@lru_cache(maxsize=64)
def _wanted(accept_encoding: str) -> tuple[Coding | None, bool]:
    weights = _weights(accept_encoding)
    any_other = weights.get("*", 0.0)
    # Nobody has to name identity: it is what is left unless it is refused.
    identity = weights.get(_IDENTITY, weights.get("*"))
    best = max(Coding, key=lambda coding: weights.get(coding, any_other))
    best_weight = weights.get(best, any_other)
    if best_weight == 0 or best_weight < (identity or 0):
        return None, True
    return best, identity != 0


def _weights(accept_encoding: str) -> Mapping[str, float]:
    """Return how much each coding is wanted; one with a weight that cannot be read counts as not named."""
    weights: dict[str, float] = {}
    for part in accept_encoding.split(","):
        name, _, parameter = (words.strip() for words in part.partition(";"))
        weight = _WEIGHT.fullmatch(parameter.replace(" ", "")) if parameter else None
        if name and (weight is not None or not parameter):
            weights[_OTHER_NAMES.get(name, name)] = float(weight[1]) if weight is not None else 1.0
    return weights


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
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @property
    def etags(self) -> tuple[str, ...]:
        return (self.etag, *map(self._etag_of, Coding))

    def response(self, request_headers: Headers, headers: dict[str, str]) -> Response:
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
    headers = response.headers
    if "vary" in headers or not headers.get("content-type", "").startswith(_COMPRESSIBLE):
        return
    headers["Vary"] = VARY["Vary"]
    content = bytes(response.body)
    if (coding := coding_for(request_headers, len(content))) is not None:
        response.body = coding.compress(content, is_kept=False)
        headers["Content-Length"] = str(len(response.body))
        headers["Content-Encoding"] = coding


def asked_range(headers: Mapping[str, str], *, size: int, etag: str) -> range | None:
    """Read `Range` and `If-Range`: the places of the bytes asked for, or None for the whole file.

    What we do not serve is ignored, as HTTP says: several ranges at once, other units, a range of an old
    version, and what is malformed.

    Raises:
        RangeNotSatisfiable: the range is outside the file.
    """
    condition = headers.get("if-range")
    found = _ONE_RANGE.fullmatch(headers.get("range", ""))
    if found is None or (condition is not None and condition.strip() != etag):
        return None
    first, last = read_digits(found[1]), read_digits(found[2])
    if first is None:
        if last is None:
            return None
        asked = range(max(0, size - last), size)
    elif last is None:
        asked = range(first, size)
    elif last < first:
        return None
    else:
        asked = range(first, min(size, last + 1))
    if not asked:
        raise RangeNotSatisfiable(size)
    return asked


RawHeaders: TypeAlias = list[tuple[bytes, bytes]]

NO_STORE: Final = "no-store"
"""For whatever holds an applicant's data: most answers, errors that echo a request among them."""
REVALIDATE: Final = "no-cache"
"""For what changes with a new version at most: kept, and asked for by its `ETag` each time."""
REVALIDATE_PRIVATELY: Final = "private, no-cache"
"""For documents, which never change: the caller may keep them, nobody in between."""

_A_YEAR_S: Final = 365 * 24 * 60 * 60


def default_headers(settings: Settings) -> RawHeaders:
    headers = [
        (b"cache-control", NO_STORE.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if not settings.is_demo:
        headers.append((b"strict-transport-security", f"max-age={_A_YEAR_S}".encode()))
    return headers


def with_defaults(headers: Iterable[tuple[bytes, bytes]], defaults: RawHeaders) -> RawHeaders:
    given = list(headers)
    names = {name.lower() for name, _ in given}
    return [*given, *(header for header in defaults if header[0] not in names)]
