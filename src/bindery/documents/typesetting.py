"""The press: a template and its data in, a PDF out."""

import threading
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
import typst

from bindery.documents.plain_text import FONTS, printable

TEMPLATES: Final = Path(str(files("bindery.documents").joinpath("templates")))
ARCHIVAL: Final = "a-2a"
ACCESSIBLE: Final = "ua-1"


class _Press(threading.local):
    """One compiler for each thread: it keeps fonts and parsed templates, and must not be shared."""

    def __init__(self) -> None:
        # Fonts of the machine are left out: the same facts must give the same bytes everywhere.
        self.compiler = typst.Compiler(root=str(TEMPLATES), font_paths=[str(FONTS)], ignore_system_fonts=True)


_press = _Press()


def typeset(template: str, data: Mapping[str, object], *, issuer: Mapping[str, object], dated: date) -> bytes:
    """Typeset a template with its data; the date is all that the file knows of time."""
    pdf = _press.compiler.compile(  # type: ignore[type-var] # its types do not know of files in memory
        # Files, not inputs of the compiler: inputs are part of its library, and with another library nothing
        # that it remembers of the document before can be used again.
        input={
            "main.typ": f'#include "{template}.typ"'.encode(),
            "data.json": _encode(data),
            "issuer.json": _encode(issuer),
        },
        format="pdf",
        pdf_standards=[ARCHIVAL, ACCESSIBLE],
        timestamp=datetime.combine(dated, time.min, UTC),
    )
    assert isinstance(pdf, bytes), "a PDF is one file"
    return pdf


def _encode(data: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(printable(data))
