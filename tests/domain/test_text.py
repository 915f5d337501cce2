"""Which characters a text may hold, and one spelling for texts that look the same."""

import time
import unicodedata

import pytest

from bindery.domain.text import composed, in_ascii, unseen_character, without_unseen
from support.tables import each_row

UNSEEN = [
    *(chr(code) for code in range(0x20)),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff",
]
SEEN = ["", " ", "~", "\u00a0", "é", "\u200d", "\u2027", "\u202f", "\u2065", "\u206a", "中", "😀", "שלום"]


@each_row("character", UNSEEN)
def test_a_character_that_cannot_be_seen_is_named(character: str) -> None:
    assert unseen_character(f"a{character}b") == f"U+{ord(character):04X}"


@each_row("character", UNSEEN)
def test_many_lines_may_hold_line_breaks_and_tabs_alone(character: str) -> None:
    found = unseen_character(f"a{character}b", many_lines=True)

    assert found == (None if character in "\t\n\r" else f"U+{ord(character):04X}")


@each_row("text", SEEN)
def test_what_can_be_seen_is_not_named(text: str) -> None:
    assert unseen_character(text) is None
    assert unseen_character(text, many_lines=True) is None
    assert without_unseen(text) == text


def test_a_text_can_be_freed_of_what_cannot_be_seen() -> None:
    assert without_unseen(f"Har{''.join(UNSEEN)}bor") == "Harbor"


def test_texts_that_look_the_same_get_one_spelling() -> None:
    assert composed("Cafe\u0301") == "Café"
    assert composed("e" + "\u0316\u0301" * 15) == unicodedata.normalize("NFC", "e" + "\u0316\u0301" * 15)


def test_a_row_of_marks_that_is_no_writing_stays_as_it_is() -> None:
    disorder = "e" + "\u0301\u0316" * 200_000

    started = time.thread_time()
    assert composed(disorder) == disorder
    # Putting them in order would take minutes.
    assert time.thread_time() - started < 5


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("Zażółć gęślą jaźń", "Zazolc gesla jazn"),
        ("Bäckerei Süd, Straße 5", "Backerei Sud, Strasse 5"),
        ("Smørrebrød & Œuvre", "Smorrebrod & OEuvre"),
        ("Łódź\N{EN DASH}株式会社 Inc.", "Lodz      Inc."),
        ("plain", "plain"),
    ],
)
def test_letters_keep_what_ascii_has_of_them(text: str, ascii_text: str) -> None:
    assert in_ascii(text) == ascii_text
