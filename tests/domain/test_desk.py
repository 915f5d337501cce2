"""What an underwriter decides by."""

import uuid
from datetime import UTC, datetime

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import JournalEntry, last_step

QUOTE, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)


def entry(number: int, trigger: Trigger, quote_id: uuid.UUID = QUOTE) -> JournalEntry:
    return JournalEntry(
        quote_id=quote_id,
        entry=number,
        event_id=uuid.UUID(int=number),
        at=datetime(2026, 8, 15, tzinfo=UTC),
        actor="worker",
        trigger=trigger,
        status_before=QuoteStatus.PUBLISHED,
        status_after=QuoteStatus.PUBLISHED,
        level=None,
        sequence=None,
        type=None,
        data="{}",
        previous_hash=b"",
    )


def test_documents_that_are_made_meanwhile_are_no_step() -> None:
    published = entry(5, Trigger.PUBLISH)
    made = entry(6, Trigger.MAKE_DOCUMENTS)
    another = entry(9, Trigger.DECLINE, OTHER)

    assert last_step([made, published, another], QUOTE) == 5
    assert last_step([entry(7, Trigger.CHANGE_CONTINGENCIES), made, published], QUOTE) == 7
    assert last_step([], QUOTE) == 0
