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
ARCHIVAL_WITH_FILES: Final = "a-3a"
"""The same with files attached, which need be none of the archival formats."""
ACCESSIBLE: Final = "ua-1"
ATTACH: Final = (
    '#pdf.attach("quote.json", read("quote.json", encoding: none), relationship: "data", '
    'mime-type: "application/json", description: "The quote of this document as data")\n'
)


class _Press(threading.local):
    """One compiler for each thread: it keeps fonts and parsed templates, and must not be shared."""

    def __init__(self) -> None:
        # Fonts of the machine are left out: the same facts must give the same bytes everywhere.
        self.compiler = typst.Compiler(root=str(TEMPLATES), font_paths=[str(FONTS)], ignore_system_fonts=True)


_press = _Press()


def typeset(
    template: str,
    data: Mapping[str, object],
    *,
    issuer: Mapping[str, object],
    dated: date,
    attached: bytes | None = None,
) -> bytes:
    """Typeset a template with its data; the date is all that the file knows of time.

    `attached` is JSON that goes along within the file, as `quote.json`.
    """
    main = f'#include "{template}.typ"'
    pdf = _press.compiler.compile(  # type: ignore[type-var] # its types do not know of files in memory
        # Files, not inputs of the compiler: inputs are part of its library, and with another library nothing
        # that it remembers of the document before can be used again.
        input={
            "main.typ": (main if attached is None else ATTACH + main).encode(),
            "data.json": _encode(data),
            "issuer.json": _encode(issuer),
            "quote.json": attached or b"",
        },
        format="pdf",
        pdf_standards=[ARCHIVAL if attached is None else ARCHIVAL_WITH_FILES, ACCESSIBLE],
        timestamp=datetime.combine(dated, time.min, UTC),
    )
    assert isinstance(pdf, bytes), "a PDF is one file"
    return pdf


def _encode(data: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(printable(data))
