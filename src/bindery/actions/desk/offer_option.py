import uuid
from collections.abc import Sequence
from dataclasses import replace

from bindery.actions.documents.freeze_published_offers import freeze_published_offers
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.quote.counter_offer import PricedOffer, check_may_offer, price_offer
from bindery.domain.quote.pipeline import case_of, contingencies_of, offer
from bindery.domain.quote.quote import JournalState, Quote, Walk, first_entry
from bindery.domain.quote.repricing import ChangedTerms, reprice
from bindery.domain.quote.underwriting import check_as_shown
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.scan.scan import nothing_to_scan
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.quote import contingencies
from bindery.storage.submission import intake, submissions
from bindery.storage.submission.submissions import StoredSubmission


def preview_offer(
    tx: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    beside: Sequence[Quote],
    ask: OptionAsk,
    *,
    actor: str = "",
    reason: str = "",
) -> PricedOffer:
    """Price an option as an offer of it would; change nothing.

    Raises:
        InvalidRequest: the terms cannot be offered; every problem names its field.
    """
    return price_offer(
        ask,
        beside,
        tariff_in_force(tx.today),
        COVERAGES.in_force(tx.today),
        applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions),
        actor=actor,
        reason=reason,
    )


async def offer_option(
    database: Database,
    rules: BusinessRules,
    submission_id: uuid.UUID,
    ask: OptionAsk,
    *,
    actor: str,
    reason: str,
    shown_premium: int | None = None,
) -> Quote:
    """Offer another option of a submission, open at once; those that were asked for stay as they are.

    `shown_premium` is what the underwriter saw: at another one nothing is offered.

    Raises:
        ChangedMeanwhile: the premium is no longer the one that was shown.
        WrongState: the submission is over, or renews a policy.
        InvalidRequest: the terms cannot be offered, or there is no reason; every problem names its field.
    """
    if not reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    async with database.transaction() as tx:
        stored = await submissions.get(tx, submission_id)
        await submissions.lock(tx, stored.company_id)
        beside = await submissions.options_of(tx, submission_id)
        check_may_offer(beside, is_renewal=stored.renews is not None)
        priced = preview_offer(tx, rules, stored, beside, ask, actor=actor, reason=reason)
        check_as_shown(priced.premium, shown_premium)
        born = _new_option(tx, stored, beside, ask)
        entry = first_entry(born, event_id=tx.new_id(), actor=actor)
        born = replace(born, journal=JournalState(entries=1, hash=entry.hash()))
        await intake.add_option(tx, born, entry)
        case = case_of(
            stored.submission,
            stored.scan or nothing_to_scan(at=tx.now, scanner=""),
            rules,
            now=tx.now,
            broker_conflict=False,
            expiring=None,
        )
        await contingencies.add(tx, {born.quote_id: contingencies_of(case)})
        option = replace(born, terms=priced.terms, premium=priced.premium, assessment=priced.assessment)
        walk = offer(Walk(option, ()), today=tx.today, actor=actor, reason=reason)
        opened = await advance_quotes(tx, [walk])
        await freeze_published_offers(tx, rules, {submission_id: (stored, opened)}, {})
    return opened[0]


def _new_option(tx: Tx, stored: StoredSubmission, beside: Sequence[Quote], ask: OptionAsk) -> Quote:
    return Quote(
        quote_id=tx.new_id(),
        submission_id=stored.submission_id,
        company_id=stored.company_id,
        partner_id=stored.partner_id,
        option_number=max(quote.option_number for quote in beside) + 1,
        product=stored.submission.product,
        status=QuoteStatus.CREATED,
        version=0,
        created_at=tx.now,
        updated_at=tx.now,
        ask=ask,
        journal=JournalState(entries=1),
    )


def preview_terms(
    tx: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    quotes: Sequence[Quote],
    *,
    changed: ChangedTerms,
) -> list[Quote]:
    """Price options of a submission on other terms as an approval would; change nothing.

    Raises:
        InvalidRequest: the tariff has no price for those terms.
    """
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    tariff, coverages = tariff_in_force(tx.today), COVERAGES.in_force(tx.today)
    return [reprice(quote, tariff, coverages, applicant, changed=changed) for quote in quotes]
