from bindery.actions.quote.advance_quote import advance_quotes
from bindery.domain.quote.pipeline import come_back
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.quote import quotes


async def bring_back_siblings(tx: Tx, refused: Quote, *, actor: str) -> None:
    """Reopen the options that were passed over for a refused bind: offers in date, referrals to the desk."""
    passed_over = await quotes.lock_passed_over_for(tx, refused.quote_id)
    ways_back = [come_back(other, today=tx.today, actor=actor) for other in passed_over]
    walks = [walk for walk in ways_back if walk is not None]
    if walks:
        await advance_quotes(tx, walks)
