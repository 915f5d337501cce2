import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.domain.deadlines import is_expired
from bindery.domain.lifecycle import BINDABLE, Trigger
from bindery.runtime import Runtime
from bindery.storage import policies, quotes, submissions

ACTOR = "timetable"


async def expire_quote(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Expire a quote if it is open and past its date; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, quote_id)
        if quote is None or quote.status not in BINDABLE or quote.expires_on is None:
            return
        if not is_expired(quote.expires_on, today=runtime.business_day(tx.now)):
            return
        # After an outage an offer may be past its day before anybody looked whether it renews.
        renews = await submissions.renewed_by(tx, quote.submission_id)
        renewed = await policies.find(tx, renews) if renews is not None else None
        if renewed is not None and renewed.renewal_quote_id == quote_id and not renewed.renewal_settled:
            return
        await advance_quote(tx, quote, Trigger.EXPIRE, actor=ACTOR)
