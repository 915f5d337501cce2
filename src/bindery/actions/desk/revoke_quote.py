from bindery.actions.quote.advance_quote import advance_quote
from bindery.actions.quote.bring_back_siblings import bring_back_siblings
from bindery.contract.events import QuoteRevoked
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx


async def revoke_quote(tx: Tx, quote: Quote, *, actor: str, reason: str) -> None:
    """Revoke a quote at the underwriter's discretion; what a requested bind had passed over comes back.

    The partner receives `reason`.

    Raises:
        WrongState: it is not open.
    """
    said = QuoteRevoked(reason=reason)
    revoked = await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, said=said)
    if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        await bring_back_siblings(tx, revoked, actor=actor)
