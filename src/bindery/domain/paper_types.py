"""What kinds of file can be uploaded, known by their content and never by their name."""

from enum import StrEnum
from typing import Final

from bindery.base.errors import BinderyError

LARGEST_PAPER: Final = 25 * 1024 * 1024
LONGEST_NAME: Final = 255

_PDF_STARTS_WITHIN: Final = 1024
"""Readers allow a PDF a little ahead of its header, and so do we."""


class PaperType(StrEnum):
    """The kinds of file that are taken."""

    PDF = "application/pdf"
    PNG = "image/png"
    JPEG = "image/jpeg"
    TIFF = "image/tiff"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class UnsupportedPaper(BinderyError):
    """The file is of a kind that is not taken."""

    code = "unsupported_file_type"


def paper_type_of(content: bytes) -> PaperType:
    """Tell the kind of a file by its first bytes; a Word document also by the parts its archive lists.

    Raises:
        UnsupportedPaper: it is of none of the kinds.
    """
    if b"%PDF-" in content[:_PDF_STARTS_WITHIN]:
        return PaperType.PDF
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return PaperType.PNG
    if content.startswith(b"\xff\xd8\xff"):
        return PaperType.JPEG
    if content.startswith((b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")):
        return PaperType.TIFF
    if _is_word_document(content):
        return PaperType.DOCX
    raise UnsupportedPaper("The file must be a PDF, PNG, JPEG, TIFF or DOCX by its content.")


def _is_word_document(content: bytes) -> bool:
    # Archives name their parts in the open: looking for names parses nothing. Macros make it another kind.
    return (
        content.startswith(b"PK\x03\x04")
        and b"[Content_Types].xml" in content
        and b"word/document.xml" in content
        and b"vbaProject.bin" not in content
    )


def clean_name(given: str | None, filename: str | None) -> str:
    """Name a paper as the sender calls it, else by its file name without folders or control characters."""
    if given:
        return given
    last = (filename or "").replace("\\", "/").rpartition("/")[2]
    printable = "".join(character for character in last if character.isprintable()).strip()
    return printable[:LONGEST_NAME] or "document"
