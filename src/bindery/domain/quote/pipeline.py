"""From a requested option to an offer or a referral: its steps, and the reasons for them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.event_details import (
    EventDecision,
    EventReason,
    PolicyRenewalOffered,
    QuoteAmended,
    QuoteDeclined,
    QuotePublished,
    QuoteReferred,
)
from bindery.contract.quote import AmendmentBody, CorrectionBody, DecisionKind, TermChange
from bindery.contract.vocabulary import QuoteStatus as S
from bindery.domain.applicant.industries import sector_of
from bindery.domain.business_rules import BusinessRules, PlayedDecision
from bindery.domain.coverages.edition import COVERAGES, CoverageEdition
from bindery.domain.messages.webhooks import OptionAmended, OptionOffered, ReferralApproved
from bindery.domain.policy.binders import (
    AskedRisk,
    SectionInForce,
    broken_clauses,
    no_section,
    outside,
    section_of,
)
from bindery.domain.policy.contingencies import DraftContingency, contingencies_for
from bindery.domain.policy.policy import Policy, RenewalRuling
from bindery.domain.products import record_of
from bindery.domain.quote.guidelines import Breach
from bindery.domain.quote.lifecycle import Trigger, may
from bindery.domain.quote.quote import Quote, Walk, expires_on, is_expired
from bindery.domain.quote.repricing import CHANGEABLE, reprice
from bindery.domain.quote.underwriting import (
    TRIGGER_OF,
    RatedOption,
    add_amendment,
    add_reason,
    from_record,
    rate_option,
    reasons_of,
    record_of_failure,
    screen_option,
    to_record,
)
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.authority import RENEWAL_HELD, authority_reasons
from bindery.domain.screening.case import Applicant, Reason
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER, Submission

ACTOR: Final = "service"
PLAYED_BY: Final = "simulated underwriter"
PLAYED_BECAUSE: Final = "Decided by the demo: the name of the applicant ends in the word for it."

NEXT_STAGE: Final[Mapping[S, Trigger]] = {
    S.AQ_CREATED: Trigger.PRICE,
    S.CALCULATING: Trigger.COMPLETE_PRICING,
    S.CALC_COMPLETED: Trigger.PASS_SCREENING,
}
BEFORE_PRICING: Final[Mapping[S, Trigger]] = {
    S.CREATED: Trigger.SCAN,
    S.AQ_CREATED: Trigger.PRICE,
    S.CALC_COMPLETED: Trigger.PASS_SCREENING,
}
"""The way of a quote to where pricing can fail; it can fail late, just before publication."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionCase:
    submission: Submission
    scan: ScanResult
    applicant: Applicant
    tariff: Tariff
    coverages: CoverageEdition
    now: datetime
    today: date
    broker_conflict: bool
    expiring: Policy | None
    """The policy that it renews."""

    breaks_pricing: bool
    rules: BusinessRules
    sections: tuple[SectionInForce, ...] | None
    """Of every binder that has not ended; None where none is on file."""


def case_of(
    submission: Submission,
    scan: ScanResult,
    rules: BusinessRules,
    *,
    now: datetime,
    broker_conflict: bool,
    expiring: Policy | None,
    sections: tuple[SectionInForce, ...] | None,
) -> SubmissionCase:
    today = rules.day_of(now)
    return SubmissionCase(
        submission=submission,
        scan=scan,
        applicant=applicant_of(submission, scan=scan, sanctions=rules.sanctions),
        tariff=tariff_in_force(today),
        coverages=COVERAGES.in_force(today),
        now=now,
        today=today,
        broker_conflict=broker_conflict,
        expiring=expiring,
        breaks_pricing=rules.demo_outcomes.breaks_pricing(submission.domains),
        rules=rules,
        sections=sections,
    )


def is_scanned_automatically(quote: Quote, submission: Submission) -> bool:
    """Whether an option is inside automatic authority, so that its scan is waited for."""
    authority = record_of(submission.product).authority
    return not authority_reasons(authority, quote.ask.aggregate_limit, submission.revenue)


def contingencies_of(case: SubmissionCase) -> tuple[DraftContingency, ...]:
    is_renewal = case.expiring is not None
    return contingencies_for(
        case.applicant.risk,
        record_of(case.submission.product).contingencies,
        renewal=is_renewal,
        pre_bind=not is_renewal and case.rules.demo_outcomes.adds_pre_bind(case.submission.name),
        searches=case.rules.diligent_search,
    )


def rate_asked(case: SubmissionCase, quote: Quote) -> RatedOption | None:
    """Settle the terms of an option and price them; None where that was done before."""
    if quote.status is S.ELIGIBLE:
        return None
    return rate_option(
        case.tariff, case.coverages, case.applicant, quote.ask, breaks_pricing=case.breaks_pricing
    )


def decide_option(case: SubmissionCase, quote: Quote, rated: RatedOption | None) -> Walk:
    """Screen a rated option, and return its steps to an offer or to the desk."""
    if rated is None:
        return _open(Walk(quote, ()), case.today, case.expiring)
    assessment = screen_option(
        rated,
        case.applicant,
        quote.ask,
        scan=case.scan,
        broker_conflict=case.broker_conflict,
        renewal_held=case.expiring is not None and case.expiring.renewal_ruling is RenewalRuling.HELD,
        outside_binder=_outside_binder(case, rated),
    )
    price, stop = assessment.price, assessment.stops_at
    walk = Walk(
        replace(
            quote,
            terms=assessment.terms,
            premium=price.premium if price else None,
            assessment=to_record(assessment),
            error_occurred=price is None,
            red_flags_exist=any(reason.status is S.RED_FLAGS_FOUND for reason in assessment.reasons),
        ),
        (),
    )
    if quote.status is S.CREATED and is_scanned_automatically(quote, case.submission):
        walk = walk.then(Trigger.SCAN, ACTOR)
    while (stop is None or not may(walk.ends_at, TRIGGER_OF[stop])) and walk.ends_at in NEXT_STAGE:
        walk = walk.then(NEXT_STAGE[walk.ends_at], ACTOR)
    if stop is None:
        return _open(walk, case.today, case.expiring)
    return _play_underwriter(case, _refer(walk, stop, assessment.reasons, case.now))


def _outside_binder(case: SubmissionCase, rated: RatedOption) -> str:
    """Return why no binder of the first day covers an option, as far as that is known before its bind."""
    if case.sections is None:
        return ""
    risk, term = case.applicant.risk, case.applicant.risk.term
    premium = rated.price.premium if rated.price is not None else 0
    asked = AskedRisk(
        product=risk.product,
        state=risk.state,
        revenue=risk.revenue,
        sector=sector_of(case.submission.industry),
        limit=rated.settled.terms.aggregate_limit,
        premium=premium,
        rated_premium=premium,
        term=term,
        # How far ahead it may be bound is asked on the day of the bind.
        today=term.effective,
    )
    section = section_of(case.sections, asked)
    if section is None:
        return no_section(asked).text
    clauses = tuple(broken_clauses(section, asked))
    return outside(section, clauses).text if clauses else ""


def approve(
    walk: Walk,
    *,
    now: datetime,
    today: date,
    expiring: Policy | None,
    actor: str,
    reason: str,
    breaches: Sequence[Breach] = (),
) -> Walk:
    """Approve a referral; the offer says why, and what was approved differently from what was asked for."""
    said = ReferralApproved(reason=reason, premium=walk.quote.premium, breaches=_texts(breaches))
    at = max(now, walk.quote.updated_at)
    approval = EventDecision(kind=DecisionKind.APPROVED, reason=reason or None, at=at)
    return _open(walk.then(Trigger.APPROVE_REFERRAL, actor, said), today, expiring, approval)


def _texts(breaches: Sequence[Breach]) -> list[str] | UnsetType:
    return [breach.text for breach in breaches] or UNSET


def amend(
    before: Quote, amended: Quote, *, now: datetime, actor: str, reason: str, breaches: Sequence[Breach]
) -> Walk:
    """Return the steps that put an open offer on other terms or at another premium.

    Raises:
        InvalidRequest: nothing would be different.
    """
    changes = _changes(before, amended)
    if not changes:
        flaw = Problem("terms", "nothing_changed", "is the one that is offered already: change something")
        raise InvalidRequest.because([flaw])
    assert amended.assessment is not None, "an open offer was assessed"
    assert amended.expires_on is not None, "an open offer has a last day"
    at = max(now, before.updated_at)
    amendment = AmendmentBody(at=at, reason=reason, changes=changes)
    kept = replace(amended, assessment=add_amendment(amended.assessment, amendment))
    said = OptionAmended(reason=reason, premium=amended.premium, changes=changes, breaches=_texts(breaches))
    published = QuoteAmended(
        premium=amended.premium,
        quote_expiration_date=amended.expires_on,
        decision=EventDecision(kind=DecisionKind.AMENDED, reason=reason or None, at=at),
        changes=changes,
        corrections=_changed_terms(kept),
    )
    walk = Walk(kept, ()).then(Trigger.AMEND, actor, said)
    return walk.then(Trigger.PUBLISH_AMENDED, ACTOR, published)


def _changes(before: Quote, after: Quote) -> list[TermChange]:
    found = [
        TermChange(path=name, before=getattr(before.terms, name), after=getattr(after.terms, name))
        for name in CHANGEABLE
    ]
    found.append(TermChange(path="premium", before=before.premium, after=after.premium))
    return [change for change in found if change.before != change.after]


def offer(walk: Walk, *, today: date, actor: str, reason: str) -> Walk:
    said = OptionOffered(reason=reason, premium=walk.quote.premium)
    return _open(walk.then(Trigger.OFFER_OPTION, actor, said), today, None)


def give_up(quote: Quote, because: str, *, now: datetime) -> Walk:
    """Return the steps of an option whose work cannot be done: to the desk, as a failed pricing."""
    reason = Reason("pricing_failed", f"The option could not be priced: {because}", status=S.CALC_FAILED)
    failed = replace(quote, premium=None, assessment=record_of_failure(reason), error_occurred=True)
    walk = Walk(failed, ())
    while walk.ends_at in BEFORE_PRICING:
        walk = walk.then(BEFORE_PRICING[walk.ends_at], ACTOR)
    return _refer(walk, S.CALC_FAILED, [reason], now)


def take_offer_back(quote: Quote, *, now: datetime, actor: str) -> Walk:
    """Return the step of an offered renewal to the desk, for a person to look at it."""
    assert quote.assessment is not None, "what was offered was assessed"
    record = add_reason(quote.assessment, RENEWAL_HELD)
    held = replace(quote, assessment=record, expires_on=None, referred_at=now)
    return Walk(held, ()).then(Trigger.TAKE_OFFER_BACK, actor, QuoteReferred(reasons=reasons_of(held)))


def _refer(walk: Walk, stops_at: S, reasons: Iterable[Reason], now: datetime) -> Walk:
    said = QuoteReferred(reasons=[EventReason(code=reason.code, text=reason.text) for reason in reasons])
    referred = Walk(replace(walk.quote, referred_at=now), walk.steps)
    return referred.then(TRIGGER_OF[stops_at], ACTOR).then(Trigger.REFER, ACTOR, said)


def _play_underwriter(case: SubmissionCase, walk: Walk) -> Walk:
    """Decide a referral where the applicant's name asks for it, so that waiting callers see it."""
    match case.rules.demo_outcomes.played_decision(case.submission.name):
        case PlayedDecision.APPROVE:
            # What the tariff has no price for stays on the desk, as it would with a person.
            with suppress(InvalidRequest):
                priced = reprice(walk.quote, case.tariff, case.coverages, case.applicant)
                return approve(
                    Walk(priced, walk.steps),
                    now=case.now,
                    today=case.today,
                    expiring=case.expiring,
                    actor=PLAYED_BY,
                    reason=PLAYED_BECAUSE,
                )
        case PlayedDecision.DECLINE:
            return walk.then(Trigger.DECLINE, PLAYED_BY, QuoteDeclined(reason=PLAYED_BECAUSE))
        case None:
            pass
    return walk


def _open(
    walk: Walk, today: date, expiring: Policy | None, approval: EventDecision | UnsetType = UNSET
) -> Walk:
    """Publish an approved quote for 60 days, or offer a renewal until the old policy ends."""
    premium = walk.quote.premium
    changes = UNSET if approval is UNSET else _changed_terms(walk.quote)
    if expiring is None:
        last_day = expires_on(today)
        opened = Walk(replace(walk.quote, expires_on=last_day), walk.steps)
        published = QuotePublished(
            premium=premium, quote_expiration_date=last_day, decision=approval, corrections=changes
        )
        return opened.then(Trigger.PUBLISH, ACTOR, published)
    # A renewal that comes late, after an outage, is still open today.
    last_day = max(expiring.term.expiration, today)
    opened = Walk(replace(walk.quote, expires_on=last_day), walk.steps)
    renews = str(expiring.quote_id)
    offered = PolicyRenewalOffered(
        renews=renews,
        premium=premium,
        quote_expiration_date=last_day,
        decision=approval,
        corrections=changes,
    )
    return opened.then(Trigger.OFFER_RENEWAL, ACTOR, offered)


def _changed_terms(quote: Quote) -> list[CorrectionBody]:
    assert quote.assessment is not None, "an approved quote was assessed"
    return [
        msgspec.convert(correction, CorrectionBody, from_attributes=True)
        for correction in from_record(quote.assessment).corrections
        if correction.code == CHANGED_BY_UNDERWRITER
    ]


def come_back(quote: Quote, *, today: date, actor: str) -> Walk | None:
    """Return the walk back of an option: an offer opens again, a referral returns to the desk.

    None where its last day is past by now.
    """
    back = Walk(replace(quote, passed_over_for=None), ())
    if quote.expires_on is None:
        return back.then(Trigger.RETURN_TO_DESK, actor, QuoteReferred(reasons=reasons_of(quote)))
    if is_expired(quote.expires_on, today=today):
        return None
    published = QuotePublished(premium=quote.premium, quote_expiration_date=quote.expires_on)
    return back.then(Trigger.REOPEN, actor, published)
