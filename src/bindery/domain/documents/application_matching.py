"""The verdict on an uploaded application, compared with the one that was issued."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bindery.contract.documents import UploadFinding
from bindery.domain.documents.facts import APPLICATION_MARK

ALIKE_AT_LEAST: Final = 0.8
"""Below this share of common words the text is a different reading of the page, not a changed one."""

MOST_WORDS_SHOWN: Final = 8
_MARK = re.compile(rf"{re.escape(APPLICATION_MARK)}:([A-Za-z0-9_-]{{1,64}}):([0-9a-f]{{64}})")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class PaperReading:
    """The text and codes of a file; `flaw` says why nothing could be read.

    `pictured` says that the pages are pictures, so that their text, if any, was recognized, not written;
    `damaged`, that its own format's reader cannot open it.
    """

    text: str = ""
    codes: tuple[str, ...] = ()
    pictured: bool = False
    flaw: str = ""
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class ApplicationMark:
    quote_identifier: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class JudgedUpload:
    verdict: UploadFinding
    note: str


def judge_paper(reading: PaperReading) -> JudgedUpload:
    return _judge_flaw(reading) or JudgedUpload(
        UploadFinding.NOT_COMPARED,
        "The file is kept. Only files for the signature contingency are compared with the application.",
    )


def match_application(
    reading: PaperReading, issued: ApplicationMark, *, issued_text: str | None = None
) -> JudgedUpload:
    """Compare an uploaded application with the issued one by the marks printed in it, then by its words.

    Signing adds words and never removes any; a recognized text is not compared word by word, because
    recognition makes mistakes of its own.
    """
    if flawed := _judge_flaw(reading):
        return flawed
    marks = frozenset(marks_in(reading))
    if not marks:
        return _judge_unmarked(reading)
    own = {mark for mark in marks if mark.quote_identifier == issued.quote_identifier}
    if not own:
        other = min(mark.quote_identifier for mark in marks)
        return JudgedUpload(
            UploadFinding.OTHER_QUOTE,
            f"This is the application of quote {other}. Upload the one that was issued with this quote.",
        )
    if own != {issued}:
        return _altered("its fingerprint differs")
    changed = _changed_words(issued_text, reading.text) if issued_text and not reading.pictured else ""
    if changed:
        return _altered(changed)
    return JudgedUpload(UploadFinding.MATCHED, "This is the application that was issued with the quote.")


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
        )
    return JudgedUpload(
        UploadFinding.UNREADABLE, "No text and no code of an application could be read in the file."
    )


def _altered(what: str) -> JudgedUpload:
    return JudgedUpload(
        UploadFinding.ALTERED,
        f"The application differs from the one that was issued with this quote: {what}. "
        "Have the issued one signed without changes and upload it.",
    )


def marks_in(reading: PaperReading) -> Iterator[ApplicationMark]:
    # A mark may be broken over lines where it is printed, so blanks do not count.
    for source in (re.sub(r"\s+", "", reading.text), *reading.codes):
        for found in _MARK.finditer(source):
            yield ApplicationMark(found[1], found[2])


def _changed_words(issued: str, uploaded: str) -> str:
    """Name words of the issued text that were removed, replaced or moved; empty when it is all there."""
    before, after = _WORD.findall(issued), _WORD.findall(uploaded)
    rest = iter(after)
    if all(word in rest for word in before):
        return ""
    there = Counter(after)
    if sum((Counter(before) & there).values()) < ALIKE_AT_LEAST * len(before):
        return ""
    missing = list((Counter(before) - there).elements())[:MOST_WORDS_SHOWN]
    return ", ".join(missing) or "the order of its words"
