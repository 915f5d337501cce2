from datetime import date
from zoneinfo import ZoneInfo

from bindery.actions.documents.gather_facts import freeze_published_offers
from bindery.actions.policy.put_in_force import put_in_force
from bindery.actions.quote.advance_quote import advance_quotes, change_contingencies, pass_over_siblings
from bindery.base.errors import WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binding import decide_approval
from bindery.domain.quote.decisions import ApproveBind, ApproveReferral
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.pipeline import approve
from bindery.domain.quote.quote import Quote, Walk, is_stale
from bindery.domain.quote.repricing import reprice_today
from bindery.domain.quote.underwriting import check_as_shown
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions


async def approve_referral(
    tx: Tx, rules: BusinessRules, quote: Quote, approval: ApproveReferral, *, actor: str
) -> None:
    """Price a quote on the terms approved, with any override on record, and publish it.

    It is subject to the contingency from the moment it is published.
    """
    reason = approval.reason
    _check_fresh(quote, tx.today, tx.calendar.zone)
    stored = await submissions.get(tx, quote.submission_id)
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    priced = reprice_today(
        quote, applicant, today=tx.today, changed=approval.changed, actor=actor, reason=reason
    )
    check_as_shown(priced.premium, approval.shown_premium)
    walk = approve(
        Walk(priced, ()), now=tx.now, today=tx.today, expiring=expiring, actor=actor, reason=reason
    )
    (opened,) = await advance_quotes(tx, [walk])
    if approval.contingency is not None:
        opened = await change_contingencies(tx, opened, add=[approval.contingency], actor=actor)
    # Last, so that the letter has the contingency too.
    key = quote.submission_id
    await freeze_published_offers(tx, rules, {key: (stored, [opened])}, {key: expiring} if expiring else {})


def _check_fresh(quote: Quote, today: date, zone: ZoneInfo) -> None:
    move = find_move(quote.status, Trigger.APPROVE_REFERRAL)
    if is_stale(quote, today, zone):
        raise WrongState(
            "The referral is stale: nobody decided it within 60 days.",
            status=quote.status,
            available_statuses=move.sources,
        )


async def approve_bind(
    tx: Tx, rules: BusinessRules, quote: Quote, approved: ApproveBind, *, actor: str
) -> None:
    """Issue the policy asked for, or a conditional binder where post-bind contingencies are still open.

    The partner receives the reason.
    """
    if quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        raise WrongState(
            f"The quote is {quote.status}: it has no bind waiting for a decision.",
            status=quote.status,
            available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED],
        )
    policy = await policies.get(tx, quote.quote_id)
    owed = await contingencies.of_quote(tx, quote.quote_id)
    on_page = await contingencies.page_signature(tx, quote.quote_id)
    approval = decide_approval(
        owed,
        attested=policy.attested,
        effective=policy.term.effective,
        today=tx.today,
        closings=approved.closings,
        on_page=None if on_page is None else on_page.closing(rules.zone),
    )
    quote = await change_contingencies(tx, quote, close=approval.closes, actor=actor)
    await put_in_force(tx, rules, quote, fulfil_by=approval.fulfil_by, actor=actor, reason=approved.reason)
    # Others may have been opened since the bind was asked for.
    await pass_over_siblings(tx, quote, actor=actor)
