from datetime import date
from zoneinfo import ZoneInfo

from bindery.actions.documents.freeze_published_offers import freeze_published_offers
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.actions.quote.change_contingencies import change_contingencies
from bindery.actions.quote.reprice_quote import reprice_quote
from bindery.base.errors import WrongState
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.decisions import ApproveReferral
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.pipeline import approve
from bindery.domain.quote.quote import Quote, Walk, is_stale
from bindery.domain.quote.underwriting import check_as_shown
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.submission import submissions


async def approve_referral(
    tx: Tx, rules: BusinessRules, quote: Quote, approval: ApproveReferral, *, actor: str
) -> None:
    """Price a quote on the terms approved, with any override on record, and publish it.

    It is subject to the contingency from the moment it is published.

    Raises:
        ChangedMeanwhile: the premium is no longer the one that was shown.
        WrongState: it is not referred, or has waited for so long that it is stale.
        InvalidRequest: the tariff has no price for those terms.
    """
    reason = approval.reason
    _check_fresh(quote, tx.today, tx.calendar.zone)
    stored = await submissions.get(tx, quote.submission_id)
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    priced = await reprice_quote(tx, rules, quote, changed=approval.changed, actor=actor, reason=reason)
    check_as_shown(priced.premium, approval.shown_premium)
    walk = approve(Walk(priced, ()), today=tx.today, expiring=expiring, actor=actor, reason=reason)
    (opened,) = await advance_quotes(tx, [walk])
    key = quote.submission_id
    await freeze_published_offers(tx, rules, {key: (stored, [opened])}, {key: expiring} if expiring else {})
    if approval.contingency is not None:
        await change_contingencies(tx, opened, add=[approval.contingency], actor=actor)


def _check_fresh(quote: Quote, today: date, zone: ZoneInfo) -> None:
    move = find_move(quote.status, Trigger.APPROVE_REFERRAL)
    if is_stale(quote, today, zone):
        raise WrongState(
            "The referral is stale: nobody decided it within 60 days.",
            status=quote.status,
            available_statuses=move.sources,
        )
