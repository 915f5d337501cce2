import uuid

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.contract.events import QuoteStale
from bindery.domain.jobs import TIMETABLE
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import is_stale
from bindery.storage.database import Database


async def let_referral_go_stale(database: Database, quote_id: uuid.UUID) -> None:
    """Set a referral aside if nobody decided it in time; otherwise leave it."""
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if is_stale(quote, tx.today, tx.calendar.zone):
            await advance_quote(tx, quote, Trigger.GO_STALE, actor=TIMETABLE, said=QuoteStale())
