"""Uploaded files are read by a child process that may die without harm."""

import asyncio
import io
import os
import time

import psutil
import pytest
from PIL import Image

from bindery.domain.documents.application_matching import PaperReading
from bindery.domain.documents.file_types import PaperType
from bindery.outside.upload_reader.reader import UploadReader
from support import papers
from support.papers import read_paper

MARK = "BINDERY:APP:01a1de7b-5da4-73d3-a049-ca51be2ef114:" + "ab" * 32
LETTER = papers.letter("An application", MARK)
PHOTO = papers.qr_code(MARK, "JPEG")
LETTER_WITH_CODE = papers.letter("An application", picture=papers.qr_code(MARK))


@pytest.fixture
def reader() -> UploadReader:
    return UploadReader()


async def test_the_text_of_a_pdf_is_read(reader: UploadReader) -> None:
    reading = await read_paper(reader, LETTER, PaperType.PDF)

    assert reading == PaperReading(text=f"An application\r\n{MARK}")


async def test_the_code_on_a_page_is_read_besides_its_text(reader: UploadReader) -> None:
    reading = await read_paper(reader, LETTER_WITH_CODE, PaperType.PDF)

    assert reading == PaperReading(text="An application", codes=(MARK,))


async def test_words_signed_over_a_page_are_read_with_it(reader: UploadReader) -> None:
    reading = await read_paper(reader, papers.stamped(LETTER, "Ann Example"), PaperType.PDF)

    assert reading.text.split() == ["An", "application", MARK, "Ann", "Example"]


async def test_a_scan_is_read_by_its_code_and_known_to_be_a_picture(reader: UploadReader) -> None:
    reading = await read_paper(reader, papers.scanned(LETTER_WITH_CODE), PaperType.PDF)

    assert reading == PaperReading(codes=(MARK,), pictured=True)


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [("PNG", PaperType.PNG), ("JPEG", PaperType.JPEG), ("TIFF", PaperType.TIFF)],
)
async def test_a_photo_is_read_by_its_code(reader: UploadReader, kind: str, content_type: PaperType) -> None:
    (page,) = papers.photos(LETTER_WITH_CODE)

    reading = await read_paper(reader, papers.as_picture(page, kind), content_type)

    assert reading == PaperReading(codes=(MARK,), pictured=True)


async def test_the_words_and_pictures_of_a_word_document_are_read(reader: UploadReader) -> None:
    document = papers.word_document("Terms &amp; more", extra={"word/media/code.png": papers.qr_code(MARK)})

    reading = await read_paper(reader, document, PaperType.DOCX)

    assert reading == PaperReading(text="Terms & more\n", codes=(MARK,))


async def test_an_encrypted_pdf_cannot_be_read(reader: UploadReader) -> None:
    reading = await read_paper(reader, papers.encrypted(LETTER), PaperType.PDF)

    assert reading == PaperReading(flaw="it is encrypted")


async def test_a_pdf_that_opens_without_a_password_is_read(reader: UploadReader) -> None:
    reading = await read_paper(reader, papers.encrypted(LETTER, password=""), PaperType.PDF)

    assert MARK in reading.text
    assert reading.flaw == ""


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        pytest.param(b"%PDF-1.7 and nothing else", PaperType.PDF, id="empty pdf"),
        pytest.param(LETTER[: len(LETTER) // 2], PaperType.PDF, id="half a pdf"),
        pytest.param(papers.pdf_without_pages(), PaperType.PDF, id="a pdf without pages"),
        pytest.param(b"\x89PNG\r\n\x1a\n and nothing else", PaperType.PNG, id="broken png"),
        pytest.param(papers.qr_code(MARK)[:-60], PaperType.PNG, id="truncated png"),
        pytest.param(PHOTO[: len(PHOTO) // 2], PaperType.JPEG, id="truncated jpeg"),
        pytest.param(b"II*\x00\x08\x00\x00\x00", PaperType.TIFF, id="broken tiff"),
        pytest.param(papers.qr_code(MARK, "TIFF")[:2_000], PaperType.TIFF, id="truncated tiff"),
        pytest.param(b"PK\x03\x04 no archive", PaperType.DOCX, id="no archive"),
        pytest.param(papers.word_document("Hello")[:-30], PaperType.DOCX, id="truncated docx"),
        pytest.param(papers.word_document("<not xml"), PaperType.DOCX, id="docx of no xml"),
        pytest.param(papers.word_document("a", doctype="<!DOCTYPE x>"), PaperType.DOCX, id="declarations"),
    ],
)
async def test_a_file_that_its_own_format_cannot_open_is_damaged(
    reader: UploadReader, content: bytes, content_type: PaperType
) -> None:
    reading = await read_paper(reader, content, content_type)

    assert reading == PaperReading(flaw="it cannot be opened", damaged=True)


@pytest.mark.long
async def test_a_file_that_unpacks_to_gigabytes_ends_the_child_and_nothing_else(reader: UploadReader) -> None:
    bomb = papers.pdf_bomb()
    assert len(bomb) < 100_000

    reading = await read_paper(reader, bomb, PaperType.PDF)

    assert reading.flaw != ""
    assert (await read_paper(reader, LETTER, PaperType.PDF)).flaw == ""


async def test_a_picture_of_too_many_pixels_is_not_unpacked(reader: UploadReader) -> None:
    bomb = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(bomb, "PNG")

    reading = await read_paper(reader, bomb.getvalue(), PaperType.PNG)

    assert reading == PaperReading(flaw="it has too many pixels")


@pytest.mark.long
async def test_a_file_that_takes_too_long_is_given_up_and_its_reader_killed() -> None:
    reader = UploadReader(timeout_s=1.5)
    started = time.monotonic()

    reading = await read_paper(reader, papers.endless_page(), PaperType.PDF)

    assert reading == PaperReading(flaw="reading it takes too long")
    assert time.monotonic() - started < 60
    assert _children() == []


async def test_a_caller_who_leaves_takes_the_reader_with_him() -> None:
    reader = UploadReader()
    reading = asyncio.create_task(read_paper(reader, papers.endless_page(), PaperType.PDF))
    while not _children():  # noqa: ASYNC110 - the process has no event to wait for
        await asyncio.sleep(0.01)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert _children() == []


async def test_the_child_sees_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BINDERY_SECRET_KEY", "must-not-be-seen")
    reading = asyncio.create_task(
        read_paper(UploadReader(timeout_s=60), papers.endless_page(), PaperType.PDF)
    )
    while not _children():  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)

    (child,) = _children()
    environment = child.environ()

    assert "must-not-be-seen" not in environment.values()
    reading.cancel()
    await asyncio.wait({reading})


def _children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(os.getpid()).children()
        if child.status() != psutil.STATUS_ZOMBIE and "upload_reader" in " ".join(child.cmdline())
    ]
