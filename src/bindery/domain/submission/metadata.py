"""What of a partner's own notes can be searched by."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

LONGEST_SEARCHED: Final = 255
"""Characters of a key or a value; longer ones are kept and echoed, and not searched by."""


class _Client(msgspec.Struct):
    metadata: Mapping[str, Any] | None = None


class _Body(msgspec.Struct):
    client: _Client


_decode = msgspec.json.Decoder(_Body).decode


def has_metadata(body: str) -> bool:
    """Whether a request may have metadata; looking for the word is cheaper than reading JSON."""
    # Its name may be spelled in escapes.
    return '"metadata"' in body or "\\u00" in body


def searchable_metadata(body: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of a request's metadata with their values as texts; lists and objects have none."""
    if not has_metadata(body):
        return
    for key, value in (_decode(body).client.metadata or {}).items():
        if isinstance(value, str | int | float) and len(key) <= LONGEST_SEARCHED:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            if len(text) <= LONGEST_SEARCHED:
                yield key, text
