from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final, get_args

from msgspec import Struct

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import InsuranceProduct, PerClaimLimit, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.quote.lifecycle import OPEN_OFFERS
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, Price, price_option, reprice_record
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.screening.case import Applicant

MOST_OPTIONS: Final = 30
"""Fifteen can be asked for; as many again is more than anybody compares."""

LEAVES_ROOM: Final = frozenset(
    {QuoteStatus.QUOTE_REFERRED, QuoteStatus.PUBLISHED, QuoteStatus.QUOTE_DECLINED}
)

LEAVES_NO_ROOM: Final = frozenset(
    {
        QuoteStatus.QUOTE_BIND_REQUESTED,
        QuoteStatus.POLICY_ACTIVE,
        QuoteStatus.POLICY_CANCELED,
        QuoteStatus.POLICY_EXPIRED,
        QuoteStatus.QUOTE_REVOKED,
    }
)
"""Statuses after which a submission is over: another option was chosen or replaced it."""


class Choices(Struct, frozen=True, kw_only=True):
    """The terms that can be offered; `retention_field` names the retention that the price depends on."""

    aggregate_limits: tuple[int, ...]
    per_claim_limits: tuple[int, ...]
    retentions: tuple[int, ...]
    retention_field: str


def choices_for(tariff: Tariff, product: InsuranceProduct) -> Choices:
    record = record_of(product)
    part = record.formulas[0].part_of(tariff)
    return Choices(
        aggregate_limits=tuple(sorted(tariff.minimum_premiums[product])),
        per_claim_limits=get_args(PerClaimLimit),
        retentions=tuple(sorted(part.retentions)),
        retention_field="per_claim_retention"
        if record.retention is RetentionBasis.PER_CLAIM
        else "aggregate_retention",
    )


def may_offer(options: Sequence[Quote], *, is_renewal: bool) -> bool:
    """Whether an underwriter may offer another option in addition to these.

    A renewal is a single offer, which binds automatically: its terms are changed with its approval.
    """
    statuses = {quote.status for quote in options}
    return (
        not is_renewal
        and len(options) < MOST_OPTIONS
        and bool(statuses & LEAVES_ROOM)
        and not statuses & LEAVES_NO_ROOM
    )


def check_may_offer(options: Sequence[Quote], *, is_renewal: bool) -> None:
    if not may_offer(options, is_renewal=is_renewal):
        said = "A renewal is one offer." if is_renewal else "No other option can be offered here."
        raise WrongState(said, status=options[0].status, available_statuses=sorted(LEAVES_ROOM))


class PricedOffer(Struct, frozen=True, kw_only=True):
    terms: Terms
    price: Price
    actor: str
    reason: str

    @property
    def premium(self) -> int:
        return self.price.premium

    @property
    def assessment(self) -> str:
        offered = {"by": self.actor, "reason": self.reason}
        record = AssessmentRecord(corrections=[], reasons=[], offered=offered)
        return reprice_record(record, self.price, override=None)


def price_offer(
    ask: OptionAsk,
    beside: Sequence[Quote],
    applicant: Applicant,
    *,
    today: date,
    actor: str = "",
    reason: str = "",
) -> PricedOffer:
    """Price an option on the terms that an underwriter wants to offer.

    Raises:
        InvalidRequest: the terms cannot be offered; every problem names its field.
    """
    tariff = tariff_in_force(today)
    choices = choices_for(tariff, applicant.risk.product)
    if problems := list(_problems(ask, choices, beside)):
        raise InvalidRequest.because(problems)
    terms = ask.as_terms()
    try:
        price = price_option(
            tariff,
            COVERAGES.in_force(today),
            applicant,
            terms,
            # As with an approval: a firm without MFA on remote access does not get the full ransomware cover.
            restricted_ransomware=applicant.risk.answers.no("Q2301"),
        )
    except LookupError as gap:
        flaw = Problem("aggregate_limit", "not_priced", f"has no price in the tariff: {gap}")
        raise InvalidRequest.because([flaw]) from gap
    return PricedOffer(terms=terms, price=price, actor=actor, reason=reason)


def first_offer(tariff: Tariff, product: InsuranceProduct, beside: Sequence[Quote]) -> OptionAsk | None:
    choices = choices_for(tariff, product)
    for limit in choices.aggregate_limits:
        for retention in choices.retentions:
            ask = replace(OptionAsk(limit), **{choices.retention_field: retention})
            if not any(_problems(ask, choices, beside)):
                return ask
    return None


def _problems(ask: OptionAsk, choices: Choices, beside: Sequence[Quote]) -> Iterator[Problem]:
    limit, per_claim = ask.aggregate_limit, ask.as_terms().per_claim_limit
    if limit not in choices.aggregate_limits:
        yield Problem("aggregate_limit", "not_allowed", "is not one that the tariff has a price for")
    if per_claim > limit:
        yield Problem("per_claim_limit", "above_aggregate", "must not exceed the aggregate limit")
    elif per_claim not in {limit, *choices.per_claim_limits}:
        yield Problem("per_claim_limit", "not_allowed", "is not one that can be offered")
    field = choices.retention_field
    retention: int | None = getattr(ask, field)
    if retention is None:
        yield Problem(field, "required", "is required")
    elif retention not in choices.retentions:
        yield Problem(field, "not_allowed", "is not one that the tariff has a price for")
    elif retention >= per_claim:
        yield Problem(field, "no_cover_per_claim", f"must be below the {in_dollars(per_claim)} of one claim")
    for other in beside:
        if other.status in OPEN_OFFERS and other.terms == ask.as_terms():
            # People count options from one.
            said = f"is that of option {other.option_number + 1} with the same retention"
            yield Problem("aggregate_limit", "same_terms", said)
