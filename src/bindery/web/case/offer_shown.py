"""Another option under consideration, with its price."""

from collections.abc import Sequence

from msgspec import Struct

from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import User
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.authority import Act, Authorities, AuthorityAsk
from bindery.domain.quote.counter_offer import PricedOffer, choices_for, first_offer, may_offer, price_offer
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_forms import OfferForm, sentences
from bindery.web.case.limits_shown import Beyond, beyond_of
from bindery.web.shown.words import Amounts, amounts_offered, money
from bindery.web.shown.worksheet import Waterfall, waterfall_of


class ShownOffer(Struct, frozen=True, kw_only=True):
    form: OfferForm
    limits: Amounts
    claim_limits: Amounts
    retentions: Amounts
    retention: str
    retention_field: str
    retention_label: str
    premium: str
    shown_premium: str
    waterfall: Waterfall | None
    problems: tuple[str, ...]
    is_begun: bool
    beyond: Beyond


def show_offer(
    at: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    beside: Sequence[Quote],
    form: OfferForm | None,
    *,
    user: User,
    authorities: Authorities,
    fault: BinderyError | None = None,
) -> ShownOffer | None:
    """Price the option in the form, or the first that can be offered; None if nothing can be."""
    if not may_offer(beside, is_renewal=stored.renews is not None):
        return None
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
    choices = choices_for(tariff_in_force(at.today), stored.submission.product)
    is_per_claim = choices.retention_field == "per_claim_retention"
    retention = form.per_claim_retention if is_per_claim else form.aggregate_retention
    return ShownOffer(
        form=form,
        limits=amounts_offered(choices.aggregate_limits),
        claim_limits=amounts_offered(choices.per_claim_limits),
        retentions=amounts_offered(choices.retentions),
        retention=retention,
        retention_field=choices.retention_field,
        retention_label="Per-claim retention" if is_per_claim else "Retention",
        premium=money(priced.premium) if priced else "",
        shown_premium=str(priced.premium) if priced else "",
        waterfall=waterfall_of(priced.price.worksheet, priced.premium) if priced else None,
        problems=tuple(sentences(fault)),
        is_begun=is_begun,
        beyond=_offer_beyond(stored.submission.product, priced, user, authorities),
    )


def _offer_beyond(
    product: InsuranceProduct, priced: PricedOffer | None, user: User, authorities: Authorities
) -> Beyond:
    if priced is None:
        return Beyond()
    limit = priced.terms.aggregate_limit
    ask = AuthorityAsk(act=Act.OFFER, product=product, aggregate_limit=limit, premium=priced.premium)
    return beyond_of([ask], user, authorities)
