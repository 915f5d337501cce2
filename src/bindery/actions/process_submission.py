"""From a submission to priced quotes or referrals: scan once, price and screen each option, publish.

Each stage is one short transaction that looks again under lock, so that any of them may run twice and a
worker may die between any two lines: what is done stays done, whoever takes the job over does the rest.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from bindery.actions.advance_quote import advance_quote
from bindery.actions.play_underwriter import play_referral
from bindery.actions.publish_quotes import publish_quotes
from bindery.actions.scan_domains import scan_domains
from bindery.contract.vocabulary import QuoteStatus as S
from bindery.domain import demo
from bindery.domain.contingencies import contingencies_for
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.domain.lifecycle import IN_PIPELINE, Trigger, may
from bindery.domain.quote import Quote
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.scan import ScanOutcome, ScanResult
from bindery.domain.screening import Applicant, Reason, applicant_of, authority_reasons
from bindery.domain.underwriting import (
    TRIGGER_OF,
    Assessment,
    assess_option,
    record_of_failure,
    to_record,
)
from bindery.runtime import Runtime
from bindery.storage import contingencies, queue, submissions
from bindery.storage.database import Tx
from bindery.storage.intake import clearance_keys
from bindery.storage.submissions import StoredSubmission, UnreadableSubmission

SCAN_TRIES: Final = 3
SCAN_RETRY_AFTER: Final = timedelta(seconds=1)
MOST_STARTS: Final = 10
"""A submission whose work was begun more often than this and never ended is referred with an error."""

NEXT_STAGE: Final = {
    S.AQ_CREATED: Trigger.PRICE,
    S.CALCULATING: Trigger.COMPLETE_PRICING,
    S.CALC_COMPLETED: Trigger.PASS_SCREENING,
}
BEFORE_PRICING: Final[Mapping[S, Trigger]] = {
    S.CREATED: Trigger.SCAN,
    S.AQ_CREATED: Trigger.PRICE,
    S.CALC_COMPLETED: Trigger.PASS_SCREENING,
}
"""How a quote comes to where pricing can fail; it can fail late, when the quote is about to be published."""

ACTOR: Final = "service"
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TryAgain:
    """The scan failed and may be tried again."""

    after: timedelta


async def process_submission(runtime: Runtime, submission_id: uuid.UUID) -> TryAgain | None:
    """Bring every option of a submission to a status that a person or partner can act on.

    One that cannot be read, or whose work never comes to an end, is referred to a person.
    """
    starts = await _count_start(runtime, submission_id)
    if starts > MOST_STARTS:
        await _give_up(runtime, submission_id, f"its work was begun {MOST_STARTS} times and never ended")
        return None
    try:
        return await _process(runtime, submission_id)
    except UnreadableSubmission:
        log.exception("submission_unreadable", submission=str(submission_id))
        await _give_up(runtime, submission_id, "what is stored of it cannot be read")
        return None


async def _count_start(runtime: Runtime, submission_id: uuid.UUID) -> int:
    """Count, whatever comes of it, that the work starts; return how often it has but for outages."""
    async with runtime.database.transaction() as tx:
        starts = await submissions.count_start(tx, submission_id)
    if starts <= MOST_STARTS:
        return starts
    async with runtime.database.reading() as tx:
        return starts - await queue.times_held_up(tx, PROCESS_SUBMISSION, str(submission_id))


async def _process(runtime: Runtime, submission_id: uuid.UUID) -> TryAgain | None:
    stored = await _begin(runtime, submission_id)
    if stored is None:
        return None
    scan = stored.scan
    if scan is None:
        scan = await scan_domains(runtime, stored.submission)
        if scan.outcome is ScanOutcome.FAILED and stored.starts < SCAN_TRIES:
            return TryAgain(SCAN_RETRY_AFTER)
    await _decide(runtime, stored, scan)
    await publish_quotes(runtime, submission_id)
    return None


async def _begin(runtime: Runtime, submission_id: uuid.UUID) -> StoredSubmission | None:
    """Mark the options inside automatic authority as being scanned."""
    async with runtime.database.transaction() as tx:
        stored = await submissions.find(tx, submission_id)
        if stored is None:
            return None
        submission = stored.submission
        for quote in await submissions.lock_options(tx, submission_id, [S.CREATED]):
            limit = quote.ask.aggregate_limit
            if not authority_reasons(submission.product, limit, submission.revenue):
                await advance_quote(tx, quote, Trigger.SCAN, actor=ACTOR)
    return stored


async def _decide(runtime: Runtime, stored: StoredSubmission, scan: ScanResult) -> None:
    """Price and screen the options that are still under way."""
    async with runtime.database.transaction() as tx:
        await submissions.keep_scan(tx, stored.submission_id, scan)
        options = await submissions.lock_options(tx, stored.submission_id, [S.CREATED, S.AQ_CREATED])
        if not options:
            return
        submission = stored.submission
        applicant = applicant_of(submission, scan=scan, sanctions=runtime.sanctions)
        tariff = tariff_in_force(runtime.business_day(tx.now))
        plays = runtime.settings.is_demo
        # In the demo everybody's domain is under example.com: only the company itself tells a conflict.
        keys = [] if plays else clearance_keys(submission)
        conflict = await submissions.has_other_broker(tx, stored, keys)
        for quote in options:
            assessment = _assess(
                tariff,
                applicant,
                quote,
                scan=scan,
                broker_conflict=conflict,
                breaks_pricing=plays and demo.breaks_pricing(submission.domains),
            )
            await contingencies.add(
                tx,
                quote.quote_id,
                contingencies_for(
                    applicant.risk,
                    renewal=stored.renews is not None,
                    pre_bind=plays and stored.renews is None and demo.adds_pre_bind(submission.name),
                ),
            )
            assessed = await _apply(tx, quote, assessment)
            if plays:
                await play_referral(runtime, tx, assessed, submission.name)


def _assess(
    tariff: Tariff,
    applicant: Applicant,
    quote: Quote,
    *,
    scan: ScanResult,
    broker_conflict: bool,
    breaks_pricing: bool,
) -> Assessment:
    """Assess an option; a bug in pricing refers it rather than leave it waiting for ever."""
    try:
        return assess_option(
            tariff,
            applicant,
            quote.ask,
            scan=scan,
            broker_conflict=broker_conflict,
            breaks_pricing=breaks_pricing,
        )
    except Exception:
        log.exception("pricing_crashed", quote=str(quote.quote_id))
        return assess_option(
            tariff, applicant, quote.ask, scan=scan, broker_conflict=broker_conflict, breaks_pricing=True
        )


async def _apply(tx: Tx, quote: Quote, assessment: Assessment) -> Quote:
    """Walk the quote along the pipeline to `eligible`, or to the desk with all its reasons."""
    price, stop = assessment.price, assessment.stops_at
    assessed = replace(
        quote,
        terms=assessment.terms,
        premium=price.premium if price else None,
        assessment=to_record(assessment),
        error_occurred=price is None,
        red_flags_exist=any(reason.status is S.RED_FLAGS_FOUND for reason in assessment.reasons),
    )
    while (stop is None or not may(assessed.status, TRIGGER_OF[stop])) and assessed.status in NEXT_STAGE:
        assessed = await advance_quote(tx, assessed, NEXT_STAGE[assessed.status], actor=ACTOR)
    return assessed if stop is None else await _refer(tx, assessed, stop, assessment.reasons)


async def _refer(tx: Tx, quote: Quote, stops_at: S, reasons: Sequence[Reason]) -> Quote:
    """Take a quote off the pipeline where it stops, and to the desk with all its reasons."""
    said = [{"code": reason.code, "text": reason.text} for reason in reasons]
    stopped = await advance_quote(tx, quote, TRIGGER_OF[stops_at], actor=ACTOR)
    return await advance_quote(
        tx, replace(stopped, referred_at=tx.now), Trigger.REFER, actor=ACTOR, data={"reasons": said}
    )


async def _give_up(runtime: Runtime, submission_id: uuid.UUID, because: str) -> None:
    """Hand what is left in the pipeline to the desk, as a pricing that failed, with the reason."""
    reason = Reason("pricing_failed", f"The option could not be priced: {because}", status=S.CALC_FAILED)
    async with runtime.database.transaction() as tx:
        for quote in await submissions.lock_options(tx, submission_id, IN_PIPELINE):
            failed = replace(quote, premium=None, assessment=record_of_failure(reason), error_occurred=True)
            while failed.status in BEFORE_PRICING:
                failed = await advance_quote(tx, failed, BEFORE_PRICING[failed.status], actor=ACTOR)
            await _refer(tx, failed, S.CALC_FAILED, [reason])
    log.error("submission_given_up", submission=str(submission_id), reason=because)
