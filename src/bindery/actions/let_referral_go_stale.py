import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_quote
from bindery.contract.events import QuoteStale
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.jobs import TIMETABLE
from bindery.domain.quote.deadlines import stale_before
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime


async def let_referral_go_stale(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Set a referral aside if nobody decided it in time; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if quote.status is not QuoteStatus.QUOTE_REFERRED or quote.referred_at is None:
            return
        if quote.referred_at < stale_before(tx.today, runtime.settings.zone):
            await advance_quote(tx, quote, Trigger.GO_STALE, actor=TIMETABLE, said=QuoteStale())
