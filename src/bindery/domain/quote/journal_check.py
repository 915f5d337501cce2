"""Checks that a quote's journal is unaltered: nothing changed, nothing missing, nothing added."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bindery.contract.vocabulary import EventLevel, QuoteStatus
from bindery.domain.quote.quote import JournalEntry, JournalState


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """An entry as found, None where it cannot be read, and the hash written with it."""

    number: int
    entry: JournalEntry | None
    hash: bytes


@dataclass(frozen=True, slots=True)
class KeptJournal:
    quote_id: uuid.UUID
    status: QuoteStatus
    state: JournalState
    entries: Sequence[KeptEntry]


@dataclass(frozen=True, slots=True)
class Flaw:
    """An altered, missing or added entry; `entry` is 0 where the quote and its journal disagree."""

    quote_id: uuid.UUID
    entry: int
    what: str


def flaws_of(journal: KeptJournal) -> Iterator[Flaw]:
    previous, expected = b"", 1
    counts = dict.fromkeys(EventLevel, 0)
    last_status: QuoteStatus | None = None
    for kept in journal.entries:
        for what in _wrong_with(kept, expected=expected, previous=previous, before=last_status):
            yield Flaw(journal.quote_id, kept.number, what)
        entry = kept.entry
        if entry is not None:
            last_status = entry.status_after
            if entry.level is not None:
                counts[entry.level] += 1
                if entry.sequence != counts[entry.level]:
                    what = (
                        f"counts as {entry.level} event {entry.sequence}, and is number {counts[entry.level]}"
                    )
                    yield Flaw(journal.quote_id, kept.number, what)
        previous, expected = kept.hash, kept.number + 1
    for what in _disagreements(journal, expected - 1, previous, counts, last_status):
        yield Flaw(journal.quote_id, 0, what)


def _wrong_with(
    kept: KeptEntry, *, expected: int, previous: bytes, before: QuoteStatus | None
) -> Iterator[str]:
    if kept.number != expected:
        yield f"entry {expected} is missing before it"
    if kept.entry is None:
        yield "says something that no entry can say"
        return
    if kept.entry.hash() != kept.hash:
        yield "was changed: its content and its hash do not match"
    if kept.number == expected and kept.entry.previous_hash != previous:
        yield "does not follow the entry before it: the chain is broken"
    if kept.number == expected and kept.entry.status_before != before:
        yield f"starts from {kept.entry.status_before}, but the entry before it did not lead there"


def _disagreements(
    journal: KeptJournal,
    last: int,
    last_hash: bytes,
    counts: dict[EventLevel, int],
    status: QuoteStatus | None,
) -> Iterator[str]:
    state = journal.state
    if last != state.entries:
        yield f"the quote counts {state.entries} entries, the journal ends with {last}"
    elif last_hash != state.hash:
        yield "the quote has a different hash of the last entry"
    counted = (counts[EventLevel.QUOTE], counts[EventLevel.POLICY])
    if counted != (state.quote_events, state.policy_events):
        yield (
            f"the quote counts {state.quote_events} quote and {state.policy_events} policy events, "
            f"the journal {counted[0]} and {counted[1]}"
        )
    if status is not None and status != journal.status:
        yield f"the quote is {journal.status}, the journal ends with {status}"
