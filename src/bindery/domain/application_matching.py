"""What an uploaded application turns out to be, held against the one that was issued."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bindery.domain.document_facts import APPLICATION_MARK

ALIKE_AT_LEAST: Final = 0.8
"""Below this share of common words the text is a different reading of the page, not a changed one."""

MOST_WORDS_SHOWN: Final = 8
_MARK = re.compile(rf"{re.escape(APPLICATION_MARK)}:([A-Za-z0-9_-]{{1,64}}):([0-9a-f]{{64}})")
_WORD = re.compile(r"\w+")


class Verdict(StrEnum):
    """What an uploaded paper is; only files for the signature contingency are compared."""

    MATCHED = "matched"
    UNREADABLE = "unreadable"
    OTHER_QUOTE = "other_quote"
    ALTERED = "altered"
    NOT_COMPARED = "not_compared"


@dataclass(frozen=True, slots=True)
class PaperReading:
    """What a reader could make of a file; `flaw` says why it could make nothing of it.

    `pictured` says that the pages are pictures, so that their text, if any, was recognised, not written.
    """

    text: str = ""
    codes: tuple[str, ...] = ()
    pages: int | None = None
    pictured: bool = False
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class ApplicationMark:
    """Whose application a paper says it is, and the fingerprint of what was answered in it."""

    quote_identifier: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is kept with an upload, for the bind and for the underwriter."""

    verdict: Verdict
    note: str
    readable: bool


def judge_paper(reading: PaperReading) -> Finding:
    """Say of a supporting paper only whether it can be read."""
    if reading.flaw:
        return Finding(Verdict.NOT_COMPARED, reading.flaw, readable=False)
    return Finding(Verdict.NOT_COMPARED, "Not an application for the signature contingency.", readable=True)


def match_application(
    reading: PaperReading, issued: ApplicationMark, *, issued_text: str | None = None
) -> Finding:
    """Hold an uploaded application against the issued one by the marks printed in it, then by its words.

    Signing adds words and never takes any away; a recognised text is not compared word by word, because
    recognition makes mistakes of its own.
    """
    if reading.flaw:
        return Finding(Verdict.UNREADABLE, reading.flaw, readable=False)
    marks = frozenset(marks_in(reading))
    if not marks:
        return Finding(Verdict.UNREADABLE, "No identifier of an application was found in it.", readable=True)
    own = {mark for mark in marks if mark.quote_identifier == issued.quote_identifier}
    if not own:
        other = min(mark.quote_identifier for mark in marks)
        return Finding(Verdict.OTHER_QUOTE, f"It is the application of quote {other}.", readable=True)
    if own != {issued}:
        return Finding(Verdict.ALTERED, "Its fingerprint is not that of the one issued.", readable=True)
    changed = _changed_words(issued_text, reading.text) if issued_text and not reading.pictured else ""
    if changed:
        return Finding(Verdict.ALTERED, f"Its text is not that of the one issued: {changed}.", readable=True)
    return Finding(Verdict.MATCHED, "Identifier and fingerprint are those of the issued one.", readable=True)


def marks_in(reading: PaperReading) -> Iterator[ApplicationMark]:
    """Find the marks of applications in the text and the machine-readable codes of a paper."""
    # A mark may be broken over lines where it is printed, so blanks do not count.
    for source in (re.sub(r"\s+", "", reading.text), *reading.codes):
        for found in _MARK.finditer(source):
            yield ApplicationMark(found[1], found[2])


def _changed_words(issued: str, uploaded: str) -> str:
    """Name words of the issued text that were taken out, replaced or moved; empty when it is all there."""
    before, after = _WORD.findall(issued), _WORD.findall(uploaded)
    rest = iter(after)
    if all(word in rest for word in before):
        return ""
    there = Counter(after)
    if sum((Counter(before) & there).values()) < ALIKE_AT_LEAST * len(before):
        return ""
    missing = list((Counter(before) - there).elements())[:MOST_WORDS_SHOWN]
    return ", ".join(missing) or "the order of its words"
