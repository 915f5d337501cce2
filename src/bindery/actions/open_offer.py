from dataclasses import replace
from datetime import date

from bindery.actions.advance_quote import advance_quote
from bindery.actions.write_mails import write_offer_mail
from bindery.domain.deadlines import expires_on
from bindery.domain.lifecycle import Trigger
from bindery.domain.policy import Policy
from bindery.domain.quote import Quote
from bindery.domain.renewal import reminders_due
from bindery.runtime import Runtime
from bindery.storage import policies, submissions
from bindery.storage.database import Tx

ACTOR = "service"


async def last_day_of_offer(runtime: Runtime, tx: Tx, quote: Quote) -> date:
    """Give the last day of a quote that opens today: 60 days on, or a renewal's when the old policy ends."""
    today = runtime.business_day(tx.now)
    expiring = await _expiring(tx, quote)
    # A renewal that comes late, after an outage, is still open today.
    return expires_on(today) if expiring is None else max(expiring.term.expiration, today)


async def open_offer(runtime: Runtime, tx: Tx, quote: Quote, *, last_day: date) -> Quote:
    """Publish an approved quote, or offer a renewal, until the day that its letter names."""
    expiring = await _expiring(tx, quote)
    data = {"premium": quote.premium, "quote_expiration_date": last_day.isoformat()}
    priced = replace(quote, expires_on=last_day)
    if expiring is None:
        return await advance_quote(tx, priced, Trigger.PUBLISH, actor=ACTOR, data=data)
    data["renews"] = str(expiring.quote_id)
    offered = await advance_quote(tx, priced, Trigger.OFFER_RENEWAL, actor=ACTOR, data=data)
    await policies.record_renewal(
        tx,
        expiring.quote_id,
        renewal_quote_id=quote.quote_id,
        # An offer that comes late stands for the reminders that should have gone out before it.
        reminders_sent=reminders_due(expiring.term.expiration, runtime.business_day(tx.now)),
    )
    await write_offer_mail(runtime, tx, offered, expiring)
    return offered


async def _expiring(tx: Tx, quote: Quote) -> Policy | None:
    renews = await submissions.renewed_by(tx, quote.submission_id)
    return await policies.find(tx, renews) if renews is not None else None
