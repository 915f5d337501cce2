"""A press that prints nothing: for stories in which thousands of documents are made and none is read."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from bindery import documents
from bindery.documents import typesetting


class PlainPress:
    """Stands in for typst: the same data gives the same bytes, other data others."""

    def compile(self, *, input: Mapping[str, bytes], **_: Any) -> bytes:  # noqa: A002 - typst's name
        return b"%PDF-1.7 " + hashlib.sha256(b"".join(input.values())).hexdigest().encode()


@contextlib.contextmanager
def plain_press() -> Iterator[None]:
    """Print with the plain press until the block ends."""
    press = typesetting._press
    # The specimen is typeset once and kept: neither press may hand out the other's.
    documents._SPECIMENS.clear()
    typesetting._press = SimpleNamespace(compiler=PlainPress())  # type: ignore[assignment] # a stand-in for typst
    try:
        yield
    finally:
        typesetting._press = press
        documents._SPECIMENS.clear()
