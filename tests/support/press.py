"""A press that prints nothing: for stories in which thousands of documents are made and none is read."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from bindery import documents
from bindery.documents import press_child, presses, typesetting
from bindery.documents.press_child import Work


class PlainPress:
    """Stands in for typst: the same data gives the same bytes, other data others."""

    def compile(self, *, input: Mapping[str, bytes], **_: Any) -> bytes:  # noqa: A002 - typst's name
        return b"%PDF-1.7 " + hashlib.sha256(b"".join(input.values())).hexdigest().encode()


def do_plainly(work: Work, *arguments: Any, **options: Any) -> bytes:
    """Mark what the plain press made: sealing takes a PDF, and half a second of imports."""
    return arguments[0] + b" sealed" if work is Work.SEAL else press_child.do(work, *arguments, **options)


@contextlib.contextmanager
def plain_press() -> Iterator[None]:
    """Print with the plain press until the block ends."""
    press = typesetting._press
    # The specimen is typeset once and kept: neither press may hand out the other's.
    documents._SPECIMENS.clear()
    typesetting._press = SimpleNamespace(compiler=PlainPress())  # type: ignore[assignment] # a stand-in for typst
    presses.do = do_plainly  # type: ignore[attr-defined] # as above, for threads
    try:
        yield
    finally:
        typesetting._press = press
        presses.do = press_child.do  # type: ignore[attr-defined] # as above
        documents._SPECIMENS.clear()
