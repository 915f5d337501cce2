import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bindery.actions.quote.lock_quote import lock_quote
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx

CarryOut = Callable[[Tx, Quote], Awaitable[None]]
"""What is done about a quote that is held."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided about a quote; `seen_step` is the last step of it that was seen."""

    quote_id: uuid.UUID
    carry_out: CarryOut
    seen_step: int | None = None


async def take_decisions(database: Database, decisions: Sequence[Decision]) -> None:
    """Carry out decisions about quotes in one transaction: all or none.

    Each is about its quote as it was when all of them were held.

    Raises:
        NotFound: there is no such quote.
        ChangedMeanwhile: something has happened to one of them that was not seen.
    """
    async with database.transaction() as tx:
        # Always in the same order, so that people who decide about the same quotes wait for each other.
        held = [
            (decision, await lock_quote(tx, decision.quote_id, seen_step=decision.seen_step))
            for decision in sorted(decisions, key=lambda decision: decision.quote_id)
        ]
        for decision, quote in held:
            await decision.carry_out(tx, quote)


async def take_decision(database: Database, quote_id: uuid.UUID, carry_out: CarryOut) -> None:
    """Carry out a decision about a quote.

    Raises:
        NotFound: there is no such quote.
    """
    await take_decisions(database, [Decision(quote_id, carry_out)])
