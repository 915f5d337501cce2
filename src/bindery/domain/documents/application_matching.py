"""The verdict on an uploaded application, compared with the one that was issued."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from bindery.contract.documents import SignatureFinding, UploadFinding, UploadPages
from bindery.domain.documents import application_marks
from bindery.domain.documents.application_marks import ApplicationMark, PageMark, page_marks_in

ALIKE_AT_LEAST: Final = 0.8
"""Below this share of common words the text is a different reading of the page, not a changed one."""

SIGNED_FIELDS: Final = frozenset({"signature", "name"})
"""Fields of the application that nobody fills in without signing it."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page of an upload; its number in the application is 0 where it is not known.

    `body` are its words between head and foot, `block` those at the signature, `aside` those at other fields
    to be filled in. `pictured`: it is a picture, so that its text, if any, was recognized, not written.
    `marked_up`: something was struck out.
    """

    number: int = 0
    pictured: bool = False
    body: str = ""
    block: str = ""
    aside: str = ""
    marked_up: bool = False


class Box(StrEnum):
    """The place for the signature as it was seen; `none` where its page is not in the file."""

    NONE = ""
    INK = "ink"
    EMPTY = "empty"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class PaperReading:
    """The text and codes of a file; `flaw` says why nothing could be read.

    `pictured` says that there are pages that are pictures; `damaged`, that its own format's reader cannot
    open it. `issued` are the words of each page of the issued application, with which it was compared;
    `typed` names the fields that are filled in; `sealed` says that there is a digital signature.
    """

    text: str = ""
    codes: tuple[str, ...] = ()
    pictured: bool = False
    flaw: str = ""
    damaged: bool = False
    pages: tuple[ReadPage, ...] = ()
    issued: tuple[str, ...] = ()
    signature_page: int = 0
    box: Box = Box.NONE
    typed: tuple[str, ...] = ()
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class PagesSeen:
    """The pages of the application that a file has, by number, and of how many; `unclear` could be any."""

    seen: tuple[int, ...]
    unclear: int
    of: int

    @property
    def found(self) -> int:
        return min(self.of, len(self.seen) + self.unclear)

    @property
    def is_complete(self) -> bool:
        return self.found >= self.of


@dataclass(frozen=True, slots=True)
class JudgedUpload:
    """What a file turned out to be; uploads of earlier days were not looked at for a signature."""

    verdict: UploadFinding
    note: str
    signature: SignatureFinding | None = None
    pages: PagesSeen | None = None
    signed_electronically: bool = False
    """Whether it was signed on our own page, so that nobody has to look at it."""


def pages_body(upload: JudgedUpload) -> UploadPages | None:
    return None if upload.pages is None else UploadPages(found=upload.pages.found, of=upload.pages.of)


def judge_paper(reading: PaperReading) -> JudgedUpload:
    return _judge_flaw(reading) or JudgedUpload(
        UploadFinding.NOT_COMPARED,
        "The file is kept. Only files for the signature contingency are compared with the application.",
    )


def judge_unsigned(pages: int) -> JudgedUpload:
    """Return the verdict on the very file that was issued."""
    return JudgedUpload(
        UploadFinding.MATCHED,
        "This is our application as we issued it: nobody has signed it. Have it signed, and upload it again.",
        SignatureFinding.NOT_FOUND,
        PagesSeen(tuple(range(1, pages + 1)), 0, pages) if pages else None,
    )


def match_application(
    reading: PaperReading, issued: ApplicationMark, *, option: int | None = None
) -> JudgedUpload:
    """Compare an uploaded application with the issued one by the marks printed in it, then by its words.

    `option` is the number of another option of the submission, if the application is that option's.
    """
    if flawed := _judge_flaw(reading):
        return replace(flawed, signature=SignatureFinding.CANNOT_TELL)
    own = [mark for mark in marks_in(reading) if mark.quote_identifier == issued.quote_identifier]
    if not own:
        return _judge_unmarked(reading)
    if not all(_is_mark_of(mark, issued) for mark in own) or _is_changed(reading):
        return JudgedUpload(
            UploadFinding.ALTERED,
            "The application differs from the one that was issued with this quote. "
            "Have the issued one signed without changes and upload it.",
            _signature(reading),
            _pages(reading),
        )
    signature, pages = _signature(reading), _pages(reading)
    sentences = [
        "This is the application that was issued with the quote."
        if option is None
        else f"It is the application of option {option}; the answers are the same.",
        *(["The answers on a picture are not read."] if reading.pictured else []),
        _SIGNATURE_SAID[signature],
        *([_missing_said(pages)] if pages is not None and not pages.is_complete else []),
    ]
    return JudgedUpload(UploadFinding.MATCHED, " ".join(sentences), signature, pages)


_SIGNATURE_SAID: Final = {
    SignatureFinding.FOUND: "It is signed.",
    SignatureFinding.NOT_FOUND: "Nobody has signed it. Have it signed, and upload it again.",
    SignatureFinding.CANNOT_TELL: "We cannot see whether it is signed.",
}


def judge_other(reading: PaperReading, *, company: str) -> JudgedUpload:
    """Return the verdict on the application of another quote; `company` says whose to the uploader."""
    return JudgedUpload(
        UploadFinding.OTHER_QUOTE,
        f"This is the application of {company}. Upload the one that was issued with this quote.",
        _signature(reading),
    )


def other_quote_in(reading: PaperReading, issued: ApplicationMark) -> str | None:
    """Return the quote whose application the file is, if it has nothing of the issued one."""
    marked = {mark.quote_identifier for mark in marks_in(reading)}
    return min(marked) if marked and issued.quote_identifier not in marked else None


def _is_mark_of(mark: ApplicationMark | PageMark, issued: ApplicationMark) -> bool:
    return mark.belongs_to(issued) if isinstance(mark, PageMark) else mark == issued


def _signature(reading: PaperReading) -> SignatureFinding:
    if (
        reading.sealed
        or SIGNED_FIELDS & {*reading.typed}
        or reading.box is Box.INK
        or _is_typed_over(reading)
    ):
        return SignatureFinding.FOUND
    return SignatureFinding.NOT_FOUND if reading.box is Box.EMPTY else SignatureFinding.CANNOT_TELL


def _is_typed_over(reading: PaperReading) -> bool:
    """Whether words were typed at the signature, and made part of the page."""
    for page in reading.pages:
        if page.block and 0 < page.number <= len(reading.issued) and not page.pictured:
            typed = Counter(_WORD.findall(page.block)) - Counter(
                _WORD.findall(reading.issued[page.number - 1])
            )
            if typed:
                return True
    return False


def _pages(reading: PaperReading) -> PagesSeen | None:
    """Return which pages are there; None where that is not known.

    Only a picture can be a page that is not recognized: a written page has its number in words.
    """
    of = len(reading.issued)
    if not of or not reading.pages:
        return None
    numbers = {page.number for page in reading.pages if 0 < page.number <= of}
    unclear = sum(page.pictured and not page.number for page in reading.pages)
    if not numbers and not unclear:
        return None
    return PagesSeen(tuple(sorted(numbers)), min(unclear, of - len(numbers)), of)


def _missing_said(pages: PagesSeen) -> str:
    there = f"It has {pages.found} of {pages.of} pages"
    missing = [number for number in range(1, pages.of + 1) if number not in pages.seen]
    if pages.unclear:
        return f"{there}. Upload the others too."
    if len(missing) == 1:
        return f"{there}: page {missing[0]} is missing. Upload it too."
    return (
        f"{there}: pages {', '.join(map(str, missing[:-1]))} and {missing[-1]} are missing. Upload them too."
    )


def _judge_flaw(reading: PaperReading) -> JudgedUpload | None:
    if reading.damaged:
        return JudgedUpload(UploadFinding.DAMAGED, f"The file is damaged: {reading.flaw}. Upload it again.")
    if reading.flaw:
        return JudgedUpload(UploadFinding.UNREADABLE, f"Nothing could be read from the file: {reading.flaw}.")
    return None


def _judge_unmarked(reading: PaperReading) -> JudgedUpload:
    """Distinguish a file with other text from an unreadable one, such as a poor scan or a photo."""
    if reading.text.strip() and not reading.pictured:
        return JudgedUpload(
            UploadFinding.NOT_RECOGNIZED,
            "No application that was issued here is recognized in the file. Check that it is the right one.",
            SignatureFinding.CANNOT_TELL,
        )
    return JudgedUpload(
        UploadFinding.UNREADABLE,
        "No text and no code of an application could be read in the file.",
        SignatureFinding.CANNOT_TELL,
    )


def marks_in(reading: PaperReading) -> Iterator[ApplicationMark | PageMark]:
    # A mark may be broken over lines where it is printed, so blanks do not count.
    for source in (re.sub(r"\s+", "", reading.text), *reading.codes):
        yield from application_marks.marks_in(source)
    yield from page_marks_in(reading.codes)


def _is_changed(reading: PaperReading) -> bool:
    return any(
        page.marked_up or _is_changed_page(reading.issued[page.number - 1], page)
        for page in reading.pages
        if 0 < page.number <= len(reading.issued) and not page.pictured
    )


def _is_changed_page(issued: str, page: ReadPage) -> bool:
    """Whether words were removed, replaced or moved, or added where there is nothing to fill in.

    A recognized text is not compared, because recognition makes mistakes of its own.
    """
    before, after = _WORD.findall(issued), _WORD.findall(page.body)
    if sum((Counter(before) & Counter(after)).values()) < ALIKE_AT_LEAST * len(before):
        return False
    rest = iter(after)
    if not all(word in rest for word in before):
        return True
    return bool(Counter(after) - Counter(before) - Counter(_WORD.findall(f"{page.block} {page.aside}")))
