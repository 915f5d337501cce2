"""Files are known by their content, never by their name."""

import random

import pytest

from bindery.domain.documents.file_types import PaperType, UnsupportedPaper, clean_name, paper_type_of
from support import papers


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.4 anything", PaperType.PDF),
        (b"\r\n" + b" " * 1000 + b"%PDF-1.4", PaperType.PDF),
        (b"\x89PNG\r\n\x1a\n...", PaperType.PNG),
        (b"\xff\xd8\xff\xe0...", PaperType.JPEG),
        (b"II*\x00...", PaperType.TIFF),
        (b"MM\x00*...", PaperType.TIFF),
        (papers.word_document("Hello"), PaperType.DOCX),
    ],
)
def test_a_kind_is_told_by_the_first_bytes(content: bytes, kind: PaperType) -> None:
    assert paper_type_of([content]) is kind


@pytest.mark.parametrize("size", [1, 7, 64, 1024])
def test_the_names_in_a_word_document_are_found_however_its_bytes_come_in(size: int) -> None:
    content = papers.word_document("Hello", extra={"word/media/long.bin": random.Random(1).randbytes(5_000)})
    with_macros = papers.word_document("Hello", extra={"word/vbaProject.bin": b"macro"})

    assert paper_type_of(_pieces(content, size)) is PaperType.DOCX
    with pytest.raises(UnsupportedPaper):
        paper_type_of(_pieces(with_macros, size))


def _pieces(content: bytes, size: int) -> list[bytes]:
    return [content[:1024], *(content[start : start + size] for start in range(1024, len(content), size))]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b" " * 1024 + b"%PDF-1.4", id="a PDF header too far in"),
        pytest.param(b"PDF-1.4", id="almost a PDF"),
        pytest.param(b"GIF89a...", id="another picture"),
        pytest.param(b"<html></html>", id="a page"),
        pytest.param(b"#!/bin/sh", id="a script"),
        pytest.param(b"PK\x03\x04 xl/workbook.xml [Content_Types].xml", id="a spreadsheet"),
        pytest.param(b"PK\x03\x04 holiday.jpg", id="an archive"),
        pytest.param(
            papers.word_document("Hello", extra={"word/vbaProject.bin": b"macro"}),
            id="a document with macros",
        ),
        pytest.param(b"x", id="one byte"),
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(UnsupportedPaper, match="PDF, PNG, JPEG, TIFF or DOCX"):
        paper_type_of([content])


@pytest.mark.parametrize(
    ("given", "filename", "name"),
    [
        ("Signed application", "scan.pdf", "Signed application"),
        (None, "scan.pdf", "scan.pdf"),
        (None, "C:\\Users\\ann\\scan.pdf", "scan.pdf"),
        (None, "../../etc/passwd", "passwd"),
        (None, "a\r\nb.pdf", "ab.pdf"),
        (None, "x" * 300, "x" * 255),
        (None, "", "document"),
        (None, None, "document"),
        ("", "/", "document"),
    ],
)
def test_a_paper_is_called_as_its_sender_calls_it(given: str | None, filename: str | None, name: str) -> None:
    assert clean_name(given, filename) == name
