import uuid

from bindery.actions.quote.advance_quote import advance_quote
from bindery.actions.quote.bring_back_siblings import bring_back_siblings
from bindery.actions.quote.lock_quote import lock_quote
from bindery.contract.events import QuoteRevoked
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database


async def revoke_quote(database: Database, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Revoke a quote by the underwriter's discretion; what a requested bind had passed over comes back.

    `reason` is told to the partner.

    Raises:
        WrongState: it is not open.
    """
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        said = QuoteRevoked(reason=reason)
        revoked = await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, said=said)
        if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
            await bring_back_siblings(tx, revoked, actor=actor)
