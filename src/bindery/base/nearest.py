"""Guessing what a misspelled name was meant to be."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from string import ascii_lowercase
from typing import Final

LONGEST_COMPARED: Final = 64
"""Comparing takes time that grows with the length, and none of our names is longer."""
LIKENESS: Final = 0.7
SHORTEST_WORD: Final = 2
_WORD: Final = re.compile(r"[a-z0-9]+")


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that was most likely meant, such as `broker_email` for `brokerMail`."""
    if len(name) > LONGEST_COMPARED:
        return None
    letters = letters_of(name)
    same = next((other for other in known if letters_of(other) == letters), None)
    close = same or next(iter(get_close_matches(name, known, n=1, cutoff=LIKENESS)), None)
    if close is not None:
        return close
    longer = [other for other in known if _abbreviates(name, other)]
    return longer[0] if len(longer) == 1 else None


def _abbreviates(name: str, known: str) -> bool:
    """Whether a name is some words of a known one, or their beginnings: `quote_id` of `quote_identifier`."""
    words, whole = _WORD.findall(name.lower()), _WORD.findall(known.lower())
    return bool(words) and all(
        len(word) >= SHORTEST_WORD and any(other.startswith(word) for other in whole) for word in words
    )


def letters_of(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def one_letter_off(word: str) -> set[str]:
    """Return all words with one letter more, less or other than this one, or two neighbors exchanged."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    less = {before + after[1:] for before, after in cuts if after}
    exchanged = {before + after[1] + after[0] + after[2:] for before, after in cuts if len(after) > 1}
    other = {before + letter + after[1:] for before, after in cuts if after for letter in ascii_lowercase}
    more = {before + letter + after for before, after in cuts for letter in ascii_lowercase}
    return (less | exchanged | other | more) - {word}
