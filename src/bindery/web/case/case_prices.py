"""What the options of a case cost on the terms of a form, and another option under consideration."""

import uuid
from collections.abc import Collection, Sequence

from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.counter_offer import first_offer, price_offer
from bindery.domain.quote.desk import first_to_look_at
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import reprice_today
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_forms import DecisionForm, OfferForm, sentences
from bindery.web.case.offer_shown import ShownOffer, shown_offer
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import shown_number


def current_number(visit: Visit, quotes: Sequence[Quote], with_papers: Collection[uuid.UUID] = ()) -> int:
    """Return the number of the option that is looked at: the one asked for, or the first to look at."""
    return visit.number("option") or shown_number(first_to_look_at(quotes, with_papers).option_number)


def price_options(
    at: Reader, rules: BusinessRules, stored: StoredSubmission, quotes: Sequence[Quote], form: DecisionForm
) -> tuple[list[Quote], BinderyError | None]:
    """Price the referred options on the terms of the form; the others are as they are.

    What the tariff has no price for is said only where somebody typed terms: until then it is why it waits.
    """
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    found, flaw = [], None
    for quote in quotes:
        priced = quote
        if quote.status is QuoteStatus.QUOTE_REFERRED and quote.assessment:
            try:
                priced = reprice_today(quote, applicant, today=at.today, changed=form.changed)
            except BinderyError as fault:
                flaw = flaw or fault
        found.append(priced)
    is_typed = form.premium or form.aggregate_retention or form.per_claim_retention
    return found, flaw if is_typed else None


def show_offer(
    at: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    beside: Sequence[Quote],
    form: OfferForm | None,
    *,
    fault: BinderyError | None = None,
) -> ShownOffer | None:
    """Price the option that is thought about, or the first that can be offered; None where nothing can."""
    is_begun = form is not None or fault is not None
    if form is None:
        form = OfferForm.of(first_offer(tariff_in_force(at.today), stored.submission.product, beside))
    priced = None
    if form.aggregate_limit or is_begun:
        applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
        try:
            priced = price_offer(form.ask, beside, applicant, today=at.today)
        except BinderyError as flaw:
            fault = fault or flaw
    return shown_offer(
        stored,
        beside,
        form,
        priced,
        today=at.today,
        problems=tuple(sentences(fault)),
        is_begun=is_begun,
    )
