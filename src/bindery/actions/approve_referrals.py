import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from bindery.actions.advance_quote import advance_quotes
from bindery.actions.change_contingencies import change_contingencies
from bindery.actions.lock_quote import lock_quote
from bindery.actions.reprice_quote import reprice_quote
from bindery.actions.settle_opened import settle_opened
from bindery.base.errors import WrongState
from bindery.domain.policy.contingencies import DraftContingency
from bindery.domain.practice import Practice
from bindery.domain.quote.deadlines import is_stale
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.pipeline import approve
from bindery.domain.quote.price import check_as_shown
from bindery.domain.quote.quote import Quote, Walk
from bindery.domain.quote.repricing import AS_ASSESSED, ChangedTerms
from bindery.runtime import Runtime
from bindery.storage import policies, submissions
from bindery.storage.database import Tx


@dataclass(frozen=True, slots=True)
class ReferralApproval:
    """A referral to approve, on the terms as assessed or on others."""

    quote_id: uuid.UUID
    changed: ChangedTerms = AS_ASSESSED
    shown_premium: int | None = None
    """What the underwriter saw: no other premium is published."""
    seen_step: int | None = None


async def approve_referrals(
    runtime: Runtime,
    approvals: Sequence[ReferralApproval],
    *,
    actor: str,
    reason: str = "",
    contingency: DraftContingency | None = None,
) -> None:
    """Price each quote on the terms approved, with any override on record, and publish it; all or none.

    Each is subject to the contingency from the moment it is published.

    Raises:
        ChangedMeanwhile: a premium is no longer the one that was shown, or something else has happened.
        WrongState: one is not referred, or has waited for so long that it is stale.
        InvalidRequest: the tariff has no price for those terms.
    """
    async with runtime.database.transaction() as tx:
        for approval in approvals:
            quote = await lock_quote(tx, approval.quote_id, seen_step=approval.seen_step)
            _check_fresh(quote, tx.today, tx.calendar.zone)
            opened = await _publish(tx, runtime.practice, quote, approval, actor=actor, reason=reason)
            if contingency is not None:
                await change_contingencies(tx, opened, add=[contingency], actor=actor)


def _check_fresh(quote: Quote, today: date, zone: ZoneInfo) -> None:
    move = find_move(quote.status, Trigger.APPROVE_REFERRAL)
    if is_stale(quote, today, zone):
        raise WrongState(
            "The referral is stale: nobody decided it within 60 days.",
            status=quote.status,
            available_statuses=move.sources,
        )


async def _publish(
    tx: Tx, practice: Practice, quote: Quote, approval: ReferralApproval, *, actor: str, reason: str
) -> Quote:
    stored = await submissions.get(tx, quote.submission_id)
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    priced = await reprice_quote(tx, practice, quote, changed=approval.changed, actor=actor, reason=reason)
    check_as_shown(priced.premium, approval.shown_premium)
    walk = approve(Walk(priced, ()), today=tx.today, expiring=expiring, actor=actor, reason=reason)
    (opened,) = await advance_quotes(tx, [walk])
    key = quote.submission_id
    await settle_opened(tx, practice, {key: (stored, [opened])}, {key: expiring} if expiring else {})
    return opened
