import uuid
from typing import assert_never

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.contract.events import QuoteExpired
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.ending import ExpireQuote, LeaveOpen, decide_expiry
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database
from bindery.storage.policy import policies
from bindery.storage.submission import submissions


async def expire_quote(database: Database, quote_id: uuid.UUID) -> None:
    """Expire a quote if it is open and past its date; otherwise leave it."""
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        renews = await submissions.renewed_by(tx, quote.submission_id)
        renewed = await policies.find(tx, renews) if renews is not None else None
        match decide_expiry(quote, renewed, tx.today):
            case ExpireQuote():
                await advance_quote(tx, quote, Trigger.EXPIRE, actor=TIMETABLE, said=QuoteExpired())
            case LeaveOpen():
                pass
            case never:
                assert_never(never)
