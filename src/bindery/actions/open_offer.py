from dataclasses import replace

from bindery.actions.advance_quote import advance_quote
from bindery.actions.write_mails import write_offer_mail
from bindery.domain.deadlines import expires_on
from bindery.domain.lifecycle import Trigger
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import policies, submissions
from bindery.storage.database import Tx

ACTOR = "service"


async def open_offer(runtime: Runtime, tx: Tx, quote: Quote) -> Quote:
    """Publish an approved quote for 60 days, or offer a renewal until the old policy ends."""
    today = runtime.business_day(tx.now)
    renews = await submissions.renewed_by(tx, quote.submission_id)
    expiring = await policies.find(tx, renews) if renews is not None else None
    # A renewal that comes late, after an outage, is still open today.
    last_day = expires_on(today) if expiring is None else max(expiring.term.expiration, today)
    data = {"premium": quote.premium, "quote_expiration_date": last_day.isoformat()}
    trigger = Trigger.PUBLISH if expiring is None else Trigger.OFFER_RENEWAL
    opened = await advance_quote(tx, replace(quote, expires_on=last_day), trigger, actor=ACTOR, data=data)
    if expiring is not None:
        await policies.record_renewal(tx, expiring.quote_id, renewal_quote_id=quote.quote_id)
        await write_offer_mail(runtime, tx, opened, expiring)
    return opened
