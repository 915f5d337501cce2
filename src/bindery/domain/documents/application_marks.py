"""The marks by which the pages of a signed application are known: as text, and in the codes on them.

The reader of uploads imports this too, in a process that has to start quickly: nothing else is imported here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

APPLICATION_MARK: Final = "BINDERY:APP"
FIRST_PAGE: Final = "first"
SIGNATURE_PAGE: Final = "signature"
"""Where a large code stands, said after its mark; applications used to be issued without."""
SHORT_FINGERPRINT: Final = 8

_NAME: Final = rf"{re.escape(APPLICATION_MARK)}:([A-Za-z0-9_-]{{1,64}})"
_MARK: Final = re.compile(rf"{_NAME}:([0-9a-f]{{64}})(?::({FIRST_PAGE}|{SIGNATURE_PAGE}))?")
_PAGE_MARK: Final = re.compile(rf"{_NAME}:([0-9A-F]{{{SHORT_FINGERPRINT}}}):([0-9]{{1,2}})")
_FOOT: Final = re.compile(r"Page\s+([0-9]{1,3})\s+of\s+[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class ApplicationMark:
    quote_identifier: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class PageMark:
    """The mark of one page, by the first digits of the fingerprint."""

    quote_identifier: str
    fingerprint: str
    number: int

    def belongs_to(self, mark: ApplicationMark) -> bool:
        return self.quote_identifier == mark.quote_identifier and mark.fingerprint.startswith(
            self.fingerprint
        )


def application_mark(quote_identifier: str, fingerprint: str) -> str:
    return f"{APPLICATION_MARK}:{quote_identifier}:{fingerprint}"


def page_mark(quote_identifier: str, fingerprint: str, number: int) -> str:
    """Return what the code in the margin of a page says; in capitals, which make a smaller code."""
    return f"{application_mark(quote_identifier, fingerprint[:SHORT_FINGERPRINT])}:{number}".upper()


def marks_in(text: str) -> Iterator[ApplicationMark]:
    for found in _MARK.finditer(text):
        yield ApplicationMark(found[1], found[2])


def page_marks_in(codes: Iterable[str]) -> Iterator[PageMark]:
    for code in codes:
        if found := _PAGE_MARK.fullmatch(code):
            yield PageMark(found[1].lower(), found[2].lower(), int(found[3]))


def place_of(code: str) -> str:
    """Return where in an application a code stands: its page's number, or the place that it names."""
    if found := _PAGE_MARK.fullmatch(code):
        return found[3]
    found = _MARK.fullmatch(code)
    return (found[3] or "") if found else ""


def page_in_foot(text: str) -> int | None:
    """Return the number that the foot of a page says, in a text of the page."""
    numbers = _FOOT.findall(text)
    return int(numbers[-1]) if numbers else None
