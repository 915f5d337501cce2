from bindery.actions.quote.advance_quote import advance_quote
from bindery.actions.quote.bring_back_siblings import bring_back_siblings
from bindery.contract.events import QuoteDeclined
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx


async def decline_quote(tx: Tx, quote: Quote, *, actor: str, reason: str) -> None:
    """Decline a referral or a bind request; what the request had passed over comes back.

    `reason` is told to the partner.

    Raises:
        WrongState: it is neither.
    """
    said = QuoteDeclined(reason=reason)
    declined = await advance_quote(tx, quote, Trigger.DECLINE, actor=actor, said=said)
    if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        await bring_back_siblings(tx, declined, actor=actor)
