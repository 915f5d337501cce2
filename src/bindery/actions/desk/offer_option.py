import uuid
from collections.abc import Sequence
from dataclasses import replace

from bindery.actions.desk.find_decider import Decider, find_decider
from bindery.actions.documents.gather_facts import freeze_published_offers
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.authority import Act
from bindery.domain.quote.counter_offer import check_may_offer, price_offer
from bindery.domain.quote.decisions import OfferOption
from bindery.domain.quote.pipeline import case_of, contingencies_of
from bindery.domain.quote.pipeline import offer as open_offer
from bindery.domain.quote.quote import JournalState, Quote, Walk, first_entry
from bindery.domain.quote.underwriting import check_as_shown
from bindery.domain.scan.scan import nothing_to_scan
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Database, Tx
from bindery.storage.quote import contingencies
from bindery.storage.submission import intake, submissions
from bindery.storage.submission.submissions import StoredSubmission


async def offer_option(
    database: Database,
    rules: BusinessRules,
    submission_id: uuid.UUID,
    offer: OfferOption,
    *,
    actor: str,
) -> Quote:
    """Offer another option of a submission, open at once; the requested options stay as they are."""
    async with database.transaction() as tx:
        stored = await submissions.get(tx, submission_id)
        await submissions.lock(tx, stored.company_id)
        decider = await find_decider(tx, rules, actor)
        opened = await add_offer(tx, rules, stored, offer, decider=decider)
        decider.check()
    return opened


async def add_offer(
    tx: Tx, rules: BusinessRules, stored: StoredSubmission, offer: OfferOption, *, decider: Decider
) -> Quote:
    """Add the option to a submission whose company is locked, after noting how much authority it takes."""
    actor, reason, submission_id = decider.actor, offer.reason, stored.submission_id
    if not reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    beside = await submissions.options_of(tx, submission_id)
    check_may_offer(beside, is_renewal=stored.renews is not None)
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    priced = price_offer(offer.ask, beside, applicant, today=tx.today, actor=actor, reason=reason)
    check_as_shown(priced.premium, offer.shown_premium)
    born = _new_option(tx, stored, beside, offer.ask)
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
        # Nobody screens what an underwriter offers; its bind asks the binders.
        sections=None,
    )
    await contingencies.add(tx, {born.quote_id: contingencies_of(case)})
    option = replace(born, terms=priced.terms, premium=priced.premium, assessment=priced.assessment)
    decider.note(Act.OFFER, option)
    walk = open_offer(Walk(option, ()), today=tx.today, actor=actor, reason=reason)
    (opened,) = await advance_quotes(tx, [walk])
    await freeze_published_offers(tx, rules, {submission_id: (stored, [opened])}, {})
    return opened


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
