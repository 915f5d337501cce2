"""What others did to a case since a page of it was opened, and who came and who left.

A page keeps what it knew: when it was read, how many entries the journals of its options had, and who else
was there. Entries are counted, and not only compared by time: one that was written before the page was read
may be seen after it, when its transaction ends.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from msgspec import Struct

from bindery.base.clock import read_moment
from bindery.base.numbers import read_digits
from bindery.domain.quote.lifecycle import UNDECIDING
from bindery.domain.quote.quote import JournalEntry, Quote
from bindery.storage.access import users
from bindery.storage.database import Reader
from bindery.storage.desk import desk_notes
from bindery.storage.quote import journal
from bindery.storage.submission import submissions
from bindery.web.frame.visit import Visit
from bindery.web.shown.history import INSIDE, history_of
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import Times, listed

MOST_ENTRIES: Final = 100
QUIET: Final = frozenset(UNDECIDING) | INSIDE


class KnownCase(Struct, frozen=True):
    """What a page of a case knew; written into the page and sent back as it is."""

    at: datetime
    entries: int
    here: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Self | None:
        moment, _, rest = text.partition("|")
        entries, _, here = rest.partition("|")
        at = read_moment(moment)
        if at is None:
            return None
        # A page without them is told of what came after its time.
        counted = read_digits(entries)
        return cls(at, -1 if counted is None else counted, tuple(filter(None, here.split(","))))

    def __str__(self) -> str:
        return f"{self.at.isoformat()}|{self.entries}|{','.join(self.here)}"


def known_case(visit: Visit, quotes: Sequence[Quote], *, now: datetime) -> KnownCase:
    return KnownCase(now, _entries_of(quotes), others_at(visit, quotes[0].submission_id))


def _entries_of(quotes: Sequence[Quote]) -> int:
    return sum(quote.journal.entries for quote in quotes)


def others_at(visit: Visit, submission_id: uuid.UUID) -> tuple[str, ...]:
    """Return who else has a case open, without the signs that a page keeps them apart by."""
    names = visit.runtime.presence.names_at(submission_id, but=visit.user.user_id)
    return tuple(name.replace(",", " ").replace("|", " ") for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsReader:
    """Who has the page open: nobody is told of what they did themselves."""

    user_id: int
    actor: str
    times: Callable[[datetime], Times]


async def case_news(
    tx: Reader, submission_id: uuid.UUID, known: KnownCase, reader: NewsReader, *, here: Sequence[str]
) -> str:
    """Return in a sentence what is new for the reader of a page; empty for nothing."""
    done = await _steps(tx, submission_id, known, reader)
    if not done:
        beside = await desk_notes.news_beside(
            tx, submission_id, known.at, user_id=reader.user_id, actor=reader.actor
        )
        done = beside or ""
    came = [name for name in here if name not in known.here]
    left = [name for name in known.here if name not in here]
    moved = [
        *([f"{listed(came)} opened this case."] if came else ()),
        *([f"{listed(left)} left it."] if left else ()),
    ]
    return " ".join([done, *moved]).strip()


async def _steps(tx: Reader, submission_id: uuid.UUID, known: KnownCase, reader: NewsReader) -> str:
    quotes = await submissions.options_of(tx, submission_id)
    numbers = {quote.quote_id: shown_number(quote.option_number) for quote in quotes}
    new = _entries_of(quotes) - known.entries
    if new <= 0:
        return ""
    entries = await journal.of_quotes(tx, list(numbers), limit=min(new, MOST_ENTRIES))
    if known.entries < 0:
        entries = [entry for entry in entries if entry.at > known.at]
    told = [entry for entry in entries if entry.actor != reader.actor and entry.trigger not in QUIET]
    if not told:
        return ""
    return await _in_words(tx, told, numbers, reader)


async def _in_words(
    tx: Reader, told: Sequence[JournalEntry], numbers: dict[uuid.UUID, int], reader: NewsReader
) -> str:
    names = await users.names_of_actors(tx, {entry.actor for entry in told})
    line = history_of(told, numbers, reader.times(tx.now), named=names)[0]
    return f"{line.text.removesuffix('.')}, by {line.by}." if line.by else line.text
