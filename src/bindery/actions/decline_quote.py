from bindery.actions.advance_quote import advance_quote, advance_quotes
from bindery.contract.events import QuoteDeclined
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.coming_back import come_back
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage import quotes
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
        await _bring_back(tx, declined, actor=actor)


async def _bring_back(tx: Tx, declined: Quote, *, actor: str) -> None:
    """Reopen the options that were passed over for a refused bind: offers in date, referrals to the desk."""
    passed_over = await quotes.lock_passed_over_for(tx, declined.quote_id)
    ways_back = [come_back(other, today=tx.today, actor=actor) for other in passed_over]
    walks = [walk for walk in ways_back if walk is not None]
    if walks:
        await advance_quotes(tx, walks)
