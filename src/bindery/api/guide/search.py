"""Search over all that the docs say: guide, operations, questions, and the specification's words."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bindery.api.guide.search_words import LEFT_OUT, SAME
from bindery.base.nearest import one_letter_off

MOST_FOUND: Final = 20
MOST_WORDS: Final = 12
SHORTEST_FORGIVEN: Final = 4
"""Shorter words with another letter are other words."""
_AROUND: Final = 70
_WORD: Final = re.compile(r"[^\W_]+(?:[_'][^\W_]+)*")
_WHOLE, _BEGINNING, _MISSPELLED, _INSIDE = 1.0, 0.25, 0.5, 0.2
_SAID: Final = 3
"""Being there counts more than being there often, so that whole words come before their beginnings."""


@dataclass(frozen=True)
class Entry:
    address: str
    title: str
    page: str
    text: str
    weight: float = 1

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(words_of(self.text))

    @cached_property
    def title_words(self) -> frozenset[str]:
        return frozenset(words_of(self.title))


@dataclass(frozen=True, slots=True)
class Hit:
    entry: Entry
    before: str
    match: str
    after: str


def words_of(text: str) -> Iterator[str]:
    """Return the words of a text, and the parts of a name such as `quote_status`."""
    for found in _WORD.findall(text.lower()):
        yield found
        if "_" in found:
            yield from found.split("_")


def find(entries: Iterable[Entry], query: str) -> list[Hit]:
    """Return the entries with all words of a query, or else with most: whole words, and titles, first.

    A word that stands nowhere as it is may be the beginning of others, have one wrong letter, or stand inside
    others. Words of the trade also find what else they are called.
    """
    every = list(entries)
    known = frozenset(word for entry in every for words in (entry.title_words, entry.words) for word in words)
    meant = [_meant(word, known) for word in _asked(query)]
    ranked = [(_rank(entry, meant), entry) for entry in every]
    most = max((said for (said, _), _ in ranked), default=0)
    best = [(rank * entry.weight, entry) for (said, rank), entry in ranked if said and said == most]
    best.sort(key=lambda row: -row[0])
    shown = [word for words in meant for word in sorted(words, key=lambda word: -words[word])]
    return [_hit(entry, query.strip(), shown) for _, entry in best[:MOST_FOUND]]


def _asked(query: str) -> list[str]:
    words = _WORD.findall(query.lower())
    kept = [word for word in words if len(word) > 1 and word not in LEFT_OUT]
    return list(dict.fromkeys(kept or words))[:MOST_WORDS]


def _meant(word: str, known: frozenset[str]) -> Mapping[str, float]:
    """Return what a word may stand for, with how much each of them counts."""
    if others := SAME.get(word):
        return {word: _WHOLE, **dict.fromkeys(others, _WHOLE)}
    longer = {other: _BEGINNING for other in known if other.startswith(word) and len(word) > 1}
    if longer:
        return {**longer, word: _WHOLE}
    if len(word) >= SHORTEST_FORGIVEN and (close := one_letter_off(word) & known):
        beginnings = {other for other in known if other.startswith(tuple(close))}
        return {**dict.fromkeys(beginnings, _INSIDE), **dict.fromkeys(close, _MISSPELLED)}
    return {other: _INSIDE for other in known if word in other}


def _rank(entry: Entry, meant: Sequence[Mapping[str, float]]) -> tuple[int, float]:
    """Return how many words of the query an entry has, and how well."""
    said, rank = 0, 0.0
    for words in meant:
        best = max((_worth(entry, word) * weight for word, weight in words.items()), default=0.0)
        said += best > 0
        rank += best
    return said, rank


def _worth(entry: Entry, word: str) -> float:
    if not _WORD.fullmatch(word):
        titled, times = word in entry.title.lower(), entry.text.lower().count(word)
    else:
        titled, times = word in entry.title_words, entry.words[word]
    if not titled and not times:
        return 0
    return (
        _SAID
        + 10 * titled
        + 5 * (entry.title.lower() == word)
        + min(times, 10) / (1 + len(entry.text) / 2_000)
    )


def _hit(entry: Entry, query: str, words: Sequence[str]) -> Hit:
    # As it was typed, where it is more than one plain word.
    plain = _WORD.fullmatch(query)
    found = None if plain else re.search(re.escape(query), entry.text, re.IGNORECASE)
    for word in words:
        found = found or re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", entry.text, re.IGNORECASE)
    if found is None:
        return Hit(entry, entry.text[: 2 * _AROUND], "", "")
    start, end = found.span()
    before = entry.text[max(0, start - _AROUND) : start]
    after = entry.text[end : end + _AROUND]
    return Hit(
        entry,
        ("…" if start > _AROUND else "") + before,
        found[0],
        after + ("…" if end + _AROUND < len(entry.text) else ""),
    )
