import uuid
from dataclasses import replace

from bindery.actions.advance_quote import advance_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.deadlines import expires_on
from bindery.domain.lifecycle import Trigger
from bindery.runtime import Runtime
from bindery.storage import submissions


async def publish_quotes(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Publish the options of a submission that are approved; they are open for 60 days."""
    async with runtime.database.transaction() as tx:
        for quote in await submissions.lock_options(tx, submission_id, [QuoteStatus.ELIGIBLE]):
            last_day = expires_on(runtime.business_day(tx.now))
            await advance_quote(
                tx,
                replace(quote, expires_on=last_day),
                Trigger.PUBLISH,
                actor="service",
                data={"premium": quote.premium, "quote_expiration_date": last_day.isoformat()},
            )
