import uuid
from functools import partial

import msgspec

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.contract.binds import StandingResponse
from bindery.contract.event_details import QuoteRevoked
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.quote import journal

WITHDRAWN = "The quote is withdrawn; it cannot be bound any more."


async def withdraw_quote(database: Database, caller: Caller, quote_id: uuid.UUID, *, text: str = "") -> bytes:
    """Withdraw a partner's own open quote; withdrawing twice changes nothing more.

    `text` is why, in the words of who withdraws it; it goes on record.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_withdraw, tx, caller, quote_id, text))


async def _withdraw(tx: Tx, caller: Caller, quote_id: uuid.UUID, text: str) -> bytes:
    quote = await lock_quote(tx, quote_id)
    if not await _is_withdrawn(tx, quote):
        said = QuoteRevoked(reason="withdrawn", text=text)
        quote = await advance_quote(tx, quote, Trigger.WITHDRAW, actor=caller.actor, said=said)
    return msgspec.json.encode(
        StandingResponse(message=WITHDRAWN, quote_identifier=str(quote_id), quote_status=quote.status)
    )


async def _is_withdrawn(tx: Tx, quote: Quote) -> bool:
    if quote.status is not QuoteStatus.QUOTE_REVOKED:
        return False
    return (await journal.of_quote(tx, quote.quote_id))[-1].trigger == Trigger.WITHDRAW
