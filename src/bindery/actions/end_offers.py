"""Open quotes expire and undecided referrals go stale; each is looked at again under lock."""

import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.deadlines import is_expired, stale_before
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


async def let_referral_go_stale(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Set a referral aside if nobody decided it in time; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote = await quotes.lock(tx, quote_id)
        if quote is None or quote.status is not QuoteStatus.QUOTE_REFERRED or quote.referred_at is None:
            return
        if quote.referred_at < stale_before(runtime.business_day(tx.now), runtime.settings.zone):
            await advance_quote(tx, quote, Trigger.GO_STALE, actor=ACTOR)
