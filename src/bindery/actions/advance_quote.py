from typing import Any

from bindery.domain.lifecycle import Trigger
from bindery.domain.quote import Quote, advance
from bindery.storage import journal, quotes
from bindery.storage.database import Tx


async def advance_quote(
    tx: Tx, quote: Quote, trigger: Trigger, *, actor: str, data: dict[str, Any] | None = None
) -> Quote:
    """Move a locked quote and write the move in its journal: the one door to a status.

    Raises:
        WrongState: the trigger leads nowhere from the quote's status.
    """
    moved, entry = advance(
        quote, trigger, at=tx.now, event_id=tx.new_id(), actor=actor, data=data if data is not None else {}
    )
    saved = await quotes.save(tx, moved)
    await journal.append(tx, entry)
    return saved
