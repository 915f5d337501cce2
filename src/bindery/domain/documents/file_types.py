from collections.abc import Iterable
from enum import StrEnum
from itertools import chain
from typing import Final

from bindery.base.errors import BinderyError

LARGEST_PAPER: Final = 25 * 1024 * 1024
LONGEST_NAME: Final = 255

_PDF_STARTS_WITHIN: Final = 1024
"""PDF readers accept a few bytes before the header."""

_MACROS: Final = b"vbaProject.bin"
_NAMES_LOOKED_FOR: Final = frozenset({b"[Content_Types].xml", b"word/document.xml", _MACROS})
_LONGEST_NAME_LOOKED_FOR: Final = max(map(len, _NAMES_LOOKED_FOR))


class PaperType(StrEnum):
    PDF = "application/pdf"
    PNG = "image/png"
    JPEG = "image/jpeg"
    TIFF = "image/tiff"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class UnsupportedPaper(BinderyError):
    """The file is of a kind that is not taken."""

    code = "unsupported_file_type"


def paper_type_of(pieces: Iterable[bytes]) -> PaperType:
    """Determine the kind of a file by its first bytes; a Word document also by the parts its archive lists.

    The pieces are the file in order, the first of a kilobyte or more; the later ones are read only where the
    first does not decide.
    """
    pieces = iter(pieces)
    head = next(pieces, b"")
    if b"%PDF-" in head[:_PDF_STARTS_WITHIN]:
        return PaperType.PDF
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return PaperType.PNG
    if head.startswith(b"\xff\xd8\xff"):
        return PaperType.JPEG
    if head.startswith((b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")):
        return PaperType.TIFF
    if head.startswith(b"PK\x03\x04") and _is_word_document(chain([head], pieces)):
        return PaperType.DOCX
    raise UnsupportedPaper("The file must be a PDF, PNG, JPEG, TIFF or DOCX by its content.")


def _is_word_document(pieces: Iterable[bytes]) -> bool:
    # Archives name their parts in the open: looking for names parses nothing. Macros make it another kind.
    found: set[bytes] = set()
    end = b""
    for piece in pieces:
        # A name may be split across two pieces.
        window = end + piece
        found |= {name for name in _NAMES_LOOKED_FOR if name in window}
        end = window[-_LONGEST_NAME_LOOKED_FOR:]
    return found == _NAMES_LOOKED_FOR - {_MACROS}


def clean_name(given: str | None, filename: str | None) -> str:
    """Name a file as the sender calls it, else by its file name without folders or control characters."""
    if given:
        return given
    last = (filename or "").replace("\\", "/").rpartition("/")[2]
    printable = "".join(character for character in last if character.isprintable()).strip()
    return printable[:LONGEST_NAME] or "document"
