import uuid

from bindery.actions.advance_quote import advance_quotes
from bindery.actions.lock_quote import lock_quote
from bindery.actions.reprice_quote import reprice_quote
from bindery.actions.settle_opened import settle_opened
from bindery.base.errors import WrongState
from bindery.domain.quote.deadlines import stale_before
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.pipeline import approve
from bindery.domain.quote.price import check_as_shown
from bindery.domain.quote.quote import Walk
from bindery.domain.quote.repricing import ChangedTerms
from bindery.runtime import Runtime
from bindery.storage import policies, submissions


async def approve_referral(
    runtime: Runtime,
    quote_id: uuid.UUID,
    *,
    changed: ChangedTerms,
    actor: str,
    reason: str = "",
    shown_premium: int | None = None,
) -> None:
    """Price the quote on the terms approved, with any override on record, and publish it.

    `shown_premium` is what the underwriter saw: another one is not published.

    Raises:
        ChangedMeanwhile: the premium is no longer the one that was shown.
        WrongState: it is not referred, or has waited for so long that it is stale.
        InvalidRequest: the tariff has no price for those terms.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        move = find_move(quote.status, Trigger.APPROVE_REFERRAL)
        assert quote.referred_at is not None, "a referral has a time"
        if quote.referred_at < stale_before(tx.today, runtime.settings.zone):
            raise WrongState(
                "The referral is stale: nobody decided it within 60 days.",
                status=quote.status,
                available_statuses=move.sources,
            )
        practice = runtime.practice
        stored = await submissions.get(tx, quote.submission_id)
        expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
        priced = await reprice_quote(tx, practice, quote, changed=changed, actor=actor, reason=reason)
        check_as_shown(priced.premium, shown_premium)
        walk = approve(
            Walk(priced, ()),
            today=tx.today,
            expiring=expiring,
            actor=actor,
            reason=reason,
        )
        opened = await advance_quotes(tx, [walk])
        key = quote.submission_id
        await settle_opened(tx, practice, {key: (stored, opened)}, {key: expiring} if expiring else {})
