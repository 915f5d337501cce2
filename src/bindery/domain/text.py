"""The characters that a text may hold, so that people read exactly the text that was sent."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from bindery.base.errors import Problem

LINE_BREAKS_AND_TABS: Final = "\t\n\r"

# Control characters, marks and overrides of the writing direction, separators of lines and paragraphs, and
# the byte order mark: none of them can be seen, and each can make a text read as another one.
_UNSEEN: Final = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
_NOT_IN_A_LINE: Final = re.compile(f"[{_UNSEEN}]")
_NOT_IN_LINES: Final = re.compile(f"(?![{LINE_BREAKS_AND_TABS}])[{_UNSEEN}]")
# Unicode's Stream-Safe Text Format has at most 30 combining marks in a row; a mark is no letter and no space.
_ENDLESS_MARKS: Final = re.compile(r"[^\w\s\x00-\x7f]{31}")

# Letters that Unicode does not take apart into one of ASCII and a mark.
_SPELLED_OUT: Final = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l",
        "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    }
)  # fmt: skip


def unseen_character(text: str, *, many_lines: bool = False) -> str | None:
    """Return the first character that the text must not hold, as `U+202E`; line breaks and tabs if asked."""
    # Nearly every text is printable, and this is asked of every one.
    if text.isprintable():
        return None
    found = (_NOT_IN_LINES if many_lines else _NOT_IN_A_LINE).search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def flaws_of_lines(text: str, path: str, *, longest: int) -> Iterator[Problem]:
    if len(text) > longest:
        yield Problem(path, "too_long", f"must have at most {longest:,} characters")
    if (character := unseen_character(text, many_lines=True)) is not None:
        yield Problem(path, "bad_character", f"must not contain the character {character}")


def without_unseen(text: str) -> str:
    return _NOT_IN_A_LINE.sub("", text)


def composed(text: str) -> str:
    """Return one spelling (NFC) for texts that look the same.

    Putting a row of combining marks in order takes time by the square of its length, so a text with a row
    that is no writing stays as it is.
    """
    if text.isascii() or _ENDLESS_MARKS.search(text):
        return text
    return unicodedata.normalize("NFC", text)


def in_ascii(text: str) -> str:
    """Return the text in ASCII: letters lose their marks, everything else becomes a blank."""
    apart = unicodedata.normalize("NFKD", text.translate(_SPELLED_OUT))
    return "".join(
        character if character.isascii() else " "
        for character in apart
        if not unicodedata.combining(character)
    )


def listed(texts: Iterable[str]) -> str:
    """Return texts as a sentence lists them: `a, b and c`."""
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last
