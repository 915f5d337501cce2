import uuid
from dataclasses import replace

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_quote
from bindery.contract.events import QuoteDeclined, QuotePublished, QuoteReferred
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.deadlines import is_expired
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import reasons_of
from bindery.runtime import Runtime
from bindery.storage import quotes
from bindery.storage.database import Tx


async def decline_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Decline a referral or a bind request; what the request had passed over comes back.

    `reason` is told to the partner.

    Raises:
        WrongState: it is neither.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        declined = await advance_quote(
            tx, quote, Trigger.DECLINE, actor=actor, said=QuoteDeclined(reason=reason)
        )
        if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
            await _bring_back(tx, declined, actor=actor)


async def _bring_back(tx: Tx, declined: Quote, *, actor: str) -> None:
    """Reopen the options that were passed over for a refused bind: offers in date, referrals to the desk."""
    for other in await quotes.lock_passed_over_for(tx, declined.quote_id):
        back = replace(other, passed_over_for=None)
        if other.expires_on is None:
            referred = QuoteReferred(reasons=reasons_of(other))
            await advance_quote(tx, back, Trigger.RETURN_TO_DESK, actor=actor, said=referred)
        elif not is_expired(other.expires_on, today=tx.today):
            published = QuotePublished(premium=other.premium, quote_expiration_date=other.expires_on)
            await advance_quote(tx, back, Trigger.REOPEN, actor=actor, said=published)
