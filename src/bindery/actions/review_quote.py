"""What an underwriter decides about a quote; each decision carries a name and a reason."""

import uuid
from dataclasses import replace

from bindery.actions.advance_quote import advance_quote, advance_quotes
from bindery.actions.reprice_quote import reprice_quote
from bindery.actions.settle_opened import settle_opened
from bindery.base.errors import NotFound, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.deadlines import is_expired, stale_before
from bindery.domain.lifecycle import Trigger, find_move
from bindery.domain.pipeline import approve
from bindery.domain.practice import Practice
from bindery.domain.quote import Quote, Walk
from bindery.domain.repricing import ChangedTerms
from bindery.runtime import Runtime
from bindery.storage import companies, policies, quotes, submissions
from bindery.storage.database import Tx


async def approve_referral(
    runtime: Runtime, quote_id: uuid.UUID, *, changed: ChangedTerms, actor: str, reason: str = ""
) -> None:
    """Price the quote on the terms approved, with any override on record, and publish it.

    Raises:
        WrongState: it is not referred, or has waited for so long that it is stale.
        InvalidRequest: the tariff has no price for those terms.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        move = find_move(quote.status, Trigger.APPROVE_REFERRAL)
        assert quote.referred_at is not None, "a referral has a time"
        if quote.referred_at < stale_before(runtime.business_day(tx.now), runtime.settings.zone):
            raise WrongState(
                "The referral is stale: nobody decided it within 60 days.",
                status=quote.status,
                available_statuses=move.sources,
            )
        practice = runtime.practice
        stored = await submissions.get(tx, quote.submission_id)
        expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
        priced = await reprice_quote(tx, practice, quote, changed=changed, actor=actor, reason=reason)
        walk = approve(
            Walk(priced, ()),
            today=practice.day_of(tx.now),
            expiring=expiring,
            actor=actor,
            reason=reason,
        )
        opened = await advance_quotes(tx, [walk])
        key = quote.submission_id
        await settle_opened(tx, practice, {key: (stored, opened)}, {key: expiring} if expiring else {})


async def decline_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Decline a referral or a bind request; what the request had passed over comes back.

    `reason` is told to the partner.

    Raises:
        WrongState: it is neither.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        declined = await advance_quote(tx, quote, Trigger.DECLINE, actor=actor, data={"reason": reason})
        if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
            await _bring_back(tx, runtime.practice, declined, actor=actor)


async def _bring_back(tx: Tx, practice: Practice, declined: Quote, *, actor: str) -> None:
    """Reopen the options that were passed over for a refused bind: offers in date, referrals to the desk."""
    today = practice.day_of(tx.now)
    for other in await quotes.lock_passed_over_for(tx, declined.quote_id):
        back = replace(other, passed_over_for=None)
        if other.expires_on is None:
            await advance_quote(tx, back, Trigger.RETURN_TO_DESK, actor=actor)
        elif not is_expired(other.expires_on, today=today):
            await advance_quote(tx, back, Trigger.REOPEN, actor=actor)


async def revoke_quote(runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str) -> None:
    """Revoke a quote by the underwriter's discretion; `reason` is told to the partner.

    Raises:
        WrongState: it is not open.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        await advance_quote(tx, quote, Trigger.REVOKE, actor=actor, data={"reason": reason})


async def lock_quote(tx: Tx, quote_id: uuid.UUID) -> Quote:
    """Hold a quote's company and then the quote: the order in which everybody takes them.

    Raises:
        NotFound: there is no such quote.
    """
    company_id = await quotes.company_of(tx, quote_id)
    if company_id is None:
        raise NotFound("There is no such quote.")
    await companies.lock(tx, company_id)
    quote = await quotes.lock(tx, quote_id)
    assert quote is not None, "a quote is never deleted"
    return quote
