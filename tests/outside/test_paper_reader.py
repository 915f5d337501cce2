"""Uploaded files are read by a child process that may die without harm."""

import asyncio
import io
import os
import time

import psutil
import pytest
from PIL import Image

from bindery.domain.application_matching import PaperReading
from bindery.domain.paper_types import PaperType
from bindery.outside.paper_reader.reader import PaperReader
from support import papers

MARK = "BINDERY:APP:01a1de7b-5da4-73d3-a049-ca51be2ef114:" + "ab" * 32
LETTER = papers.letter("An application", MARK)
LETTER_WITH_CODE = papers.letter("An application", picture=papers.qr_code(MARK))


@pytest.fixture
def reader() -> PaperReader:
    return PaperReader()


async def test_the_text_of_a_pdf_is_read(reader: PaperReader) -> None:
    reading = await reader.read(LETTER, PaperType.PDF)

    assert reading == PaperReading(text=f"An application\n{MARK}\n", pages=1)


async def test_the_code_on_a_page_is_read_besides_its_text(reader: PaperReader) -> None:
    reading = await reader.read(LETTER_WITH_CODE, PaperType.PDF)

    assert reading == PaperReading(text="An application\n", codes=(MARK,), pages=1)


async def test_words_signed_over_a_page_are_read_with_it(reader: PaperReader) -> None:
    reading = await reader.read(papers.signed(LETTER, "Ann Example"), PaperType.PDF)

    assert reading.text.split() == ["An", "application", MARK, "Ann", "Example"]


async def test_a_scan_is_read_by_its_code_and_known_to_be_a_picture(reader: PaperReader) -> None:
    reading = await reader.read(papers.scanned(LETTER_WITH_CODE), PaperType.PDF)

    assert reading == PaperReading(codes=(MARK,), pages=1, pictured=True)


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [("PNG", PaperType.PNG), ("JPEG", PaperType.JPEG), ("TIFF", PaperType.TIFF)],
)
async def test_a_photo_is_read_by_its_code(reader: PaperReader, kind: str, content_type: PaperType) -> None:
    (page,) = papers.photos(LETTER_WITH_CODE)

    reading = await reader.read(papers.as_picture(page, kind), content_type)

    assert reading == PaperReading(codes=(MARK,), pages=1, pictured=True)


async def test_the_words_and_pictures_of_a_word_document_are_read(reader: PaperReader) -> None:
    document = papers.word_document("Terms &amp; more", extra={"word/media/code.png": papers.qr_code(MARK)})

    reading = await reader.read(document, PaperType.DOCX)

    assert reading == PaperReading(text="Terms & more\n", codes=(MARK,))


async def test_an_encrypted_pdf_cannot_be_read(reader: PaperReader) -> None:
    reading = await reader.read(papers.encrypted(LETTER), PaperType.PDF)

    assert reading == PaperReading(flaw="The file is encrypted.")


async def test_a_pdf_that_opens_without_a_password_is_read(reader: PaperReader) -> None:
    reading = await reader.read(papers.encrypted(LETTER, password=""), PaperType.PDF)

    assert MARK in reading.text
    assert reading.flaw == ""


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        pytest.param(b"%PDF-1.7 and nothing else", PaperType.PDF, id="empty pdf"),
        pytest.param(LETTER[: len(LETTER) // 2], PaperType.PDF, id="half a pdf"),
        pytest.param(b"\x89PNG\r\n\x1a\n and nothing else", PaperType.PNG, id="broken png"),
        pytest.param(b"II*\x00\x08\x00\x00\x00", PaperType.TIFF, id="broken tiff"),
        pytest.param(b"PK\x03\x04 no archive", PaperType.DOCX, id="broken docx"),
    ],
)
async def test_a_broken_file_is_a_reading_with_a_flaw(
    reader: PaperReader, content: bytes, content_type: PaperType
) -> None:
    reading = await reader.read(content, content_type)

    assert reading.flaw.startswith("The file is broken: ")
    assert (reading.text, reading.codes) == ("", ())


async def test_a_file_that_unpacks_to_gigabytes_ends_the_child_and_nothing_else(reader: PaperReader) -> None:
    bomb = papers.pdf_bomb()
    assert len(bomb) < 100_000

    reading = await reader.read(bomb, PaperType.PDF)

    assert reading.flaw != ""
    assert (await reader.read(LETTER, PaperType.PDF)).flaw == ""


async def test_a_picture_of_too_many_pixels_is_not_unpacked(reader: PaperReader) -> None:
    bomb = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(bomb, "PNG")

    reading = await reader.read(bomb.getvalue(), PaperType.PNG)

    assert reading == PaperReading(flaw="The file is broken: DecompressionBombError.")


async def test_a_file_that_takes_too_long_is_given_up_and_its_reader_killed() -> None:
    reader = PaperReader(timeout_s=1.5)
    started = time.monotonic()

    reading = await reader.read(papers.endless_page(), PaperType.PDF)

    assert reading == PaperReading(flaw="Reading the file took too long.")
    assert time.monotonic() - started < 60
    assert _children() == []


async def test_a_caller_who_leaves_takes_the_reader_with_him() -> None:
    reader = PaperReader()
    reading = asyncio.create_task(reader.read(papers.endless_page(), PaperType.PDF))
    while not _children():  # noqa: ASYNC110 - the process has no event to wait for
        await asyncio.sleep(0.01)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert _children() == []


async def test_the_child_sees_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BINDERY_SECRET_KEY", "must-not-be-seen")
    reading = asyncio.create_task(PaperReader(timeout_s=60).read(papers.endless_page(), PaperType.PDF))
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
        if child.status() != psutil.STATUS_ZOMBIE and "paper_reader" in " ".join(child.cmdline())
    ]
