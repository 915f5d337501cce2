import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_quote
from bindery.contract.events import QuoteRevoked
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime


async def revoke_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Revoke a quote by the underwriter's discretion; `reason` is told to the partner.

    Raises:
        WrongState: it is not open.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, said=QuoteRevoked(reason=reason))
