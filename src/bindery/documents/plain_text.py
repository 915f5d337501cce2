"""Making any text fit for print: characters that the fonts can draw, and words that can be broken."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

# Characters that the fonts inside typst draw, of the scripts that names and answers are likely to be in:
# Latin, Greek, Cyrillic, Armenian, Hebrew with its vowels, Georgian; punctuation, currencies, arrows,
# letterlike and technical characters, dingbats. Marks that turn the direction of writing are left out: they
# make a text read other than it is.
DRAWABLE: Final = (
    "\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1"
    "\u03a3-\u0482\u048a-\u04ff\u0531-\u0556\u0559-\u0586\u05b0-\u05c3\u05d0-\u05ea\u05f3\u05f4\u10d0-\u10fa\u1e00-\u1f15\u200c\u2010-\u2027"
    "\u2030-\u2040\u2044\u2070\u2071\u2074-\u208e\u20a0-\u20bf\u2100-\u211e\u2122\u2126\u2150\u2151"
    "\u2153-\u2184\u2190-\u23ff\u25a0-\u2606\u2609-\u262f\u2638-\u268b\u2690-\u269c\u26a0-\u26a7"
    "\u26aa-\u26b2\u2701-\u2714\u2716-\u2726\u2728\u272a-\u275e\u2761-\u277f\u2794-\u27bf"
    "\u2b00-\u2b73\u2b76-\u2b95\u2b97-\u2bff\ufb00-\ufb06"
)
# Characters of Arabic script that a font of ours draws: letters with those of Urdu, Persian, Pashto, Sindhi
# and their neighbors, vowels, digits, punctuation.
ARABIC: Final = "\u060b-\u060d\u061b\u061e-\u06d5\u06ee-\u06ff\u0750-\u077f\ufdf2\ufdfa\ufdfc"
HEBREW: Final = "\u05b0-\u05f4"
_UNDRAWABLE: Final = re.compile(f"[^{DRAWABLE}{ARABIC}]")
# Shapes of letters and words that old systems wrote instead of the letters: none of our fonts has them.
_SHAPES: Final = re.compile("[\ufb50-\ufdf1\ufdf3-\ufdf9\ufdfb\ufe70-\ufefc]")
# Marks for reciting and honoring above and below the letters of Arabic script. They are no part of a name's
# spelling, and none of our fonts has them.
_RECITATION: Final = re.compile(
    f"(?<=[{ARABIC}])[\u0610-\u061a\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08ca-\u08e1\u08e3-\u08ff]+"
)
# A letter and its marks must come from one font, and no font has those of two scripts.
_STRANGE_MARKS: Final = re.compile(
    f"(?<![{ARABIC}])[\u064b-\u065f\u0670]+"
    f"|(?<![{HEBREW}])[\u05b0-\u05c3]+"
    f"|(?<=[{ARABIC}{HEBREW}])[\u0300-\u036f]+"
)
FONTS: Final = Path(str(files("bindery.documents").joinpath("fonts")))
"""Fonts of our own for what those inside typst lack: Arabic, Chinese, Japanese, Korean, and emoji."""
_LINE_ENDS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANKS: Final = re.compile("[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]")
# They join emoji into one or choose its color: print has neither.
_JOINERS: Final = re.compile("[\u200d\ufe0e\ufe0f]")
# Between letters of Arabic script it keeps them apart, as Persian spelling requires.
_APART: Final = re.compile(f"(?<![{ARABIC}])\u200c|\u200c(?![{ARABIC}])")
_LONG: Final = 25
_LONG_WORD: Final = re.compile(rf"[^\s]{{{_LONG},}}")
_AFTER_PUNCTUATION: Final = re.compile(r"(?<=[.@/:_=&?-])(?=\w)")
_BREAK_EVERY: Final = 8
_MAY_BREAK: Final = "\u200b"
"""The template puts a box of no width in its place: it is on no page."""


class Whole(str):
    """A text that is printed as it is, without places to break it."""

    __slots__ = ()


def printable(value: object) -> object:
    # By class first: a policy has a thousand texts, and asking whether each is a mapping takes longer than
    # the rest.
    if type(value) is str:
        return breakable(drawable(value))
    match value:
        case Whole():
            return str(value)
        case str():
            return breakable(drawable(value))
        case dict() | Mapping():
            return {key: printable(item) for key, item in value.items()}
        case list() | Sequence():
            return [printable(item) for item in value]
        case _:
            return value


def drawable(text: str) -> str:
    """Write characters that none of our fonts has as their numbers, `[U+4E2D]`, so that nothing is lost.

    Shapes of Arabic letters become the letters; marks for reciting them are left out.
    """
    if text.isascii() and text.isprintable():
        return text
    spelled = _RECITATION.sub("", _SHAPES.sub(_as_letters, text))
    tidy = _APART.sub("", _JOINERS.sub("", _BLANKS.sub(" ", _LINE_ENDS.sub("\n", spelled))))
    return _UNDRAWABLE.sub(_from_our_fonts, _STRANGE_MARKS.sub(_as_numbers, tidy))


def _as_letters(found: re.Match[str]) -> str:
    """Return the letters that a shape stands for; the blank that carries a mark alone is not one of them."""
    return unicodedata.normalize("NFKC", found[0]).lstrip(" ")


def _from_our_fonts(found: re.Match[str]) -> str:
    return found[0] if found[0] in _characters() else _as_numbers(found)


def _as_numbers(found: re.Match[str]) -> str:
    return "".join(f"[U+{ord(character):04X}]" for character in found[0])


@cache
def _characters() -> frozenset[str]:
    return frozenset((FONTS / "characters.txt").read_text(encoding="utf-8")) - {"\n"}


def breakable(text: str) -> str:
    """Let very long words break: after punctuation, and within a name only if it has none."""
    return text if len(text) < _LONG else _LONG_WORD.sub(_with_breaks, text)


def on_one_line(text: str) -> str:
    return Whole(" ".join(drawable(text).split()))


def _with_breaks(found: re.Match[str]) -> str:
    pieces = _AFTER_PUNCTUATION.split(found[0])
    return _MAY_BREAK.join(part for piece in pieces for part in _parts(piece))


def _parts(piece: str) -> list[str]:
    if len(piece) < _LONG:
        return [piece]
    return [piece[start : start + _BREAK_EVERY] for start in range(0, len(piece), _BREAK_EVERY)]
