import uuid
from collections.abc import Sequence
from itertools import pairwise

from bindery.contract.vocabulary import EventLevel
from bindery.domain.quote.journal_check import Flaw, flaws_of
from bindery.domain.quote.quote import JournalEntry
from bindery.storage.quote import journal
from support.service import Service


def check_journal(entries: Sequence[JournalEntry]) -> None:
    """Assert that a quote's journal has no gap in its numbers, its chain or its sequences."""
    assert [entry.entry for entry in entries] == list(range(1, len(entries) + 1))
    previous = b""
    for entry in entries:
        assert entry.previous_hash == previous
        previous = entry.hash()
    for level in EventLevel:
        told = [entry.sequence for entry in entries if entry.level is level]
        assert told == list(range(1, len(told) + 1))
    for before, after in pairwise(entries):
        assert after.status_before is before.status_after


async def flaws_in_journal(service: Service, identifier: str) -> list[Flaw]:
    """Return what `bindery journal verify` would find wrong with the journal of a quote."""
    async with service.runtime.database.reading() as tx:
        return [*flaws_of(await journal.read_one(tx, uuid.UUID(identifier)))]
