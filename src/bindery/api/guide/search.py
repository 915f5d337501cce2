"""Search over everything the docs say: the sections of the guide, and the operations of the reference."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MOST_FOUND: Final = 20
_AROUND: Final = 70


@dataclass(frozen=True, slots=True)
class Entry:
    address: str
    title: str
    page: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    entry: Entry
    before: str
    match: str
    after: str


def find(entries: Iterable[Entry], query: str) -> list[Hit]:
    """Return the entries with all words of a query, titles first, then by how often they occur."""
    words = query.lower().split()
    if not words:
        return []
    ranked = [(rank, entry) for entry in entries if (rank := _rank(entry, words)) > 0]
    ranked.sort(key=lambda row: -row[0])
    return [_hit(entry, words) for _, entry in ranked[:MOST_FOUND]]


def _rank(entry: Entry, words: Sequence[str]) -> float:
    title, text = entry.title.lower(), entry.text.lower()
    rank = 0.0
    for word in words:
        said = text.count(word)
        titled = word in title
        if not said and not titled:
            return 0
        rank += 10 * titled + 5 * (title == word) + min(said, 10) / (1 + len(text) / 2000)
    return rank


def _hit(entry: Entry, words: Sequence[str]) -> Hit:
    found = re.search("|".join(map(re.escape, words)), entry.text, re.IGNORECASE)
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
