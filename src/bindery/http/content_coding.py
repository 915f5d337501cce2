"""What an answer is compressed with: what the client takes, by its `Accept-Encoding`."""

import gzip
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

import brotli
from starlette.datastructures import Headers

COMPRESSED_FROM: Final = 1_024
"""What fits into one packet anyway is sent as it is."""
GZIP_LEVEL: Final = 5
"""A quote takes a tenth of a millisecond; the best level takes several times as long for a hundredth less."""
BROTLI_QUALITY: Final = 4
"""The lowest that makes less than gzip of a quote, in about the same time."""
BROTLI_QUALITY_KEPT: Final = 9
"""Makes a fifth less than gzip of the OpenAPI document in 60 ms; the best would hold everybody up for 800."""
_IDENTITY: Final = "identity"
_WEIGHT: Final = re.compile(r"q=(0(?:\.[0-9]*)?|1(?:\.0*)?)")
_OTHER_NAMES: Final = {"x-gzip": "gzip"}


class Coding(StrEnum):
    """What an answer can be compressed with; the first of those that a client prefers equally is taken."""

    BROTLI = "br"
    GZIP = "gzip"

    def compress(self, content: bytes, *, is_kept: bool) -> bytes:
        """Return the content compressed, with more effort when it is kept and sent many times."""
        match self:
            case Coding.BROTLI:
                quality = BROTLI_QUALITY_KEPT if is_kept else BROTLI_QUALITY
                compressed: bytes = brotli.compress(content, mode=brotli.MODE_TEXT, quality=quality)
                return compressed
            case Coding.GZIP:
                # Without a time, so that the same content gives the same bytes.
                return gzip.compress(content, GZIP_LEVEL, mtime=0)


def coding_for(request_headers: Headers, length: int) -> Coding | None:
    """Return what to compress a content of this length with; None to send it as it is."""
    wanted, takes_plain = _wanted(",".join(request_headers.getlist("accept-encoding")).lower())
    compressed_from = COMPRESSED_FROM if takes_plain else 1
    return wanted if length >= compressed_from else None


@lru_cache(maxsize=64)
def _wanted(accept_encoding: str) -> tuple[Coding | None, bool]:
    """Return the coding that a client prefers, and whether it takes a content as it is."""
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
