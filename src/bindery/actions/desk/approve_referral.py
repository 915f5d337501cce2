from datetime import date
from zoneinfo import ZoneInfo

from bindery.actions.desk.find_decider import Decider
from bindery.actions.documents.gather_facts import freeze_published_offers
from bindery.actions.policy.put_in_force import put_in_force
from bindery.actions.policy.take_capacity import refuse, take_capacity
from bindery.actions.quote.advance_quote import advance_quotes, change_contingencies, pass_over_siblings
from bindery.base.errors import InvalidRequest, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binders import NoAuthority
from bindery.domain.policy.binding import decide_approval
from bindery.domain.quote.authority import Act
from bindery.domain.quote.by_hand import is_set_by_hand
from bindery.domain.quote.decisions import AmendOption, ApproveBind, ApproveReferral
from bindery.domain.quote.guidelines import Breach, breaches_of, check_guidelines
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.pipeline import amend, approve
from bindery.domain.quote.quote import Quote, Walk, is_expired, is_stale
from bindery.domain.quote.repricing import check_covers_a_claim, reprice_today
from bindery.domain.quote.underwriting import check_as_shown, from_record
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.case import Applicant
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions


async def approve_referral(
    tx: Tx, rules: BusinessRules, quote: Quote, approval: ApproveReferral, *, decider: Decider
) -> None:
    """Price a quote on the terms approved, with any override on record, and publish it.

    It is subject to its contingencies from the moment it is published.
    """
    reason, actor = approval.reason, decider.actor
    _check_fresh(quote, tx.today, tx.calendar.zone)
    stored = await submissions.get(tx, quote.submission_id)
    expiring = await policies.find(tx, stored.renews) if stored.renews is not None else None
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    priced = reprice_today(
        quote, applicant, today=tx.today, changed=approval.changed, actor=actor, reason=reason
    )
    check_as_shown(priced.premium, approval.shown_premium)
    breaches = _check_terms(priced, applicant, approval, decider, Act.APPROVE, today=tx.today)
    walk = approve(
        Walk(priced, ()),
        now=tx.now,
        today=tx.today,
        expiring=expiring,
        actor=actor,
        reason=reason,
        breaches=breaches,
    )
    (opened,) = await advance_quotes(tx, [walk])
    opened = await change_contingencies(tx, opened, add=approval.contingencies, actor=actor)
    # Last, so that the letter has the contingencies too.
    key = quote.submission_id
    await freeze_published_offers(tx, rules, {key: (stored, [opened])}, {key: expiring} if expiring else {})


async def amend_option(
    tx: Tx, rules: BusinessRules, quote: Quote, amendment: AmendOption, *, decider: Decider
) -> None:
    """Put an open offer on other terms or at another premium, under its identifier and until its last day.

    Its letter gets another version with all that was decided together.
    """
    move = find_move(quote.status, Trigger.AMEND)
    if quote.expires_on is not None and is_expired(quote.expires_on, today=tx.today):
        said = "The offer has expired: it cannot be amended any more."
        raise WrongState(said, status=quote.status, available_statuses=move.sources)
    if not amendment.reason.strip():
        raise InvalidRequest.at("reason", "required", "is required: it goes on record")
    actor, changed = decider.actor, amendment.changed
    if not changed.anything and amendment.contingencies:
        decider.note(Act.SETTLE, quote)
        await change_contingencies(tx, quote, add=amendment.contingencies, actor=actor)
        return
    stored = await submissions.get(tx, quote.submission_id)
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    amended = reprice_today(
        quote, applicant, today=tx.today, changed=changed, actor=actor, reason=amendment.reason
    )
    check_as_shown(amended.premium, amendment.shown_premium)
    breaches = _check_terms(amended, applicant, amendment, decider, Act.AMEND, today=tx.today)
    walk = amend(quote, amended, now=tx.now, actor=actor, reason=amendment.reason, breaches=breaches)
    (opened,) = await advance_quotes(tx, [walk])
    await change_contingencies(tx, opened, add=amendment.contingencies, actor=actor)


def _check_terms(
    priced: Quote,
    applicant: Applicant,
    decision: ApproveReferral | AmendOption,
    decider: Decider,
    act: Act,
    *,
    today: date,
) -> tuple[Breach, ...]:
    """Return the guidelines that the terms break, after noting how much authority they take."""
    assert priced.assessment is not None, "it was priced"
    assert priced.terms is not None, "it was priced"
    assert priced.premium is not None, "it was priced"
    check_covers_a_claim(priced.terms, decision.changed)
    record = from_record(priced.assessment)
    is_by_hand = is_set_by_hand(record)
    decider.note(act, priced, rated=record.rated_premium, is_by_hand=is_by_hand)
    breaches = breaches_of(
        tariff_in_force(today), applicant.risk, priced.terms, priced.premium, rated=record.rated_premium
    )
    check_guidelines(breaches, reason=decision.reason, is_sure=decision.is_sure)
    return breaches


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
    section = await take_capacity(tx, quote, policy.term)
    if isinstance(section, NoAuthority):
        refuse(section)
    await put_in_force(
        tx,
        rules,
        quote,
        section=section,
        fulfil_by=approval.fulfil_by,
        actor=actor,
        reason=approved.reason,
    )
    # Others may have been opened since the bind was asked for.
    await pass_over_siblings(tx, quote, actor=actor)
