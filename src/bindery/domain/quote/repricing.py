"""The price of a quote on another period or other terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Final

import msgspec

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.numbers import in_dollars, to_whole_dollars
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.coverages.edition import COVERAGES, CoverageEdition
from bindery.domain.quote.by_hand import is_set_by_hand, keep_by_hand, price_by_hand, settled_terms
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record, price_option, reprice_record
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.screening.case import Applicant
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER, Correction


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTerms:
    """Terms that an underwriter approves instead of the calculated ones; None changes nothing."""

    aggregate_retention: int | None = None
    per_claim_retention: int | None = None
    premium: int | None = None
    percent: Decimal | None = None
    """Off the tariff's premium, instead of one in dollars."""

    @property
    def anything(self) -> bool:
        return self != AS_ASSESSED


AS_ASSESSED = ChangedTerms()
CHANGEABLE: Final = {"aggregate_retention": "Retention", "per_claim_retention": "Per-claim retention"}


def reprice(
    quote: Quote,
    tariff: Tariff,
    coverages: CoverageEdition,
    applicant: Applicant,
    *,
    changed: ChangedTerms = AS_ASSESSED,
    asked_for: str = "terms",
    actor: str = "",
    reason: str = "",
) -> Quote:
    """Price an assessed quote again; a person's override is kept on record.

    A premium set where neither the option nor the tariff has a price is used without the tariff. The quote
    keeps the edition of its coverages; `coverages` are for one without a price so far. `asked_for` names the
    part of the request that the price is for.

    Raises:
        InvalidRequest: the tariff has no price for it.
    """
    assert quote.assessment is not None, "only an assessed quote is priced again"
    before = from_record(quote.assessment)
    if is_set_by_hand(before) and not changed.anything:
        return keep_by_hand(quote, asked_for)
    settled = terms = settled_terms(quote, tariff, applicant)
    if changed.aggregate_retention is not None:
        terms = replace(terms, aggregate_retention=changed.aggregate_retention)
    if changed.per_claim_retention is not None:
        terms = replace(terms, per_claim_retention=changed.per_claim_retention)
    by_tariff = changed.premium is None and changed.percent is None
    override = {
        "by": actor,
        "reason": reason,
        "aggregate_retention": changed.aggregate_retention,
        "per_claim_retention": changed.per_claim_retention,
        "premium": changed.premium,
    }
    before = msgspec.structs.replace(
        before, corrections=_corrected(before.corrections, quote.ask, settled, terms, reason)
    )
    kept = COVERAGES.named(before.coverages[0].edition) if before.coverages else coverages
    price_at = partial(
        price_option,
        tariff,
        kept,
        applicant,
        terms,
        # Approving a firm without MFA on remote access does not give it the full ransomware cover.
        restricted_ransomware=applicant.risk.answers.no("Q2301"),
    )
    try:
        price = price_at(premium=changed.premium)
        if changed.percent is not None:
            price = price_at(premium=_off_the_tariff(price.worksheet.premium, changed.percent))
        if not changed.anything and before.override is not None:
            price = price_at(premium=_approved_premium(before.override, price.worksheet.premium))
    except LookupError as gap:
        if before.worksheet is None and changed.premium is not None:
            by_hand = {**override, "rated_premium": None}
            return price_by_hand(quote, before, terms, tariff, coverages, applicant, override=by_hand)
        flaw = Problem(asked_for, "not_priced", f"has no price in the tariff: {gap}")
        raise InvalidRequest.because([flaw]) from gap
    kept_override = before.override
    if changed.anything:
        set_premium = None if by_tariff else price.premium
        kept_override = {**override, "premium": set_premium, "rated_premium": price.worksheet.premium}
    return replace(
        quote,
        terms=terms,
        premium=price.premium,
        assessment=reprice_record(before, price, override=kept_override),
    )


def reprice_today(
    quote: Quote,
    applicant: Applicant,
    *,
    today: date,
    changed: ChangedTerms = AS_ASSESSED,
    asked_for: str = "terms",
    actor: str = "",
    reason: str = "",
) -> Quote:
    """Price an assessed quote again by the tariff and the coverages in force on a day."""
    return reprice(
        quote,
        tariff_in_force(today),
        COVERAGES.in_force(today),
        applicant,
        changed=changed,
        asked_for=asked_for,
        actor=actor,
        reason=reason,
    )


def check_covers_a_claim(terms: Terms, changed: ChangedTerms) -> None:
    """Refuse a retention that an underwriter chose and that leaves nothing of a claim to be paid."""
    for name in CHANGEABLE:
        chosen = getattr(changed, name)
        if chosen is not None and chosen >= terms.per_claim_limit:
            most = in_dollars(terms.per_claim_limit)
            flaw = f"{in_dollars(chosen)} leaves no coverage: one claim is covered up to {most}"
            raise InvalidRequest.because([Problem(name, "no_cover_per_claim", flaw)])


def _corrected(
    corrections: Sequence[Correction], ask: OptionAsk, settled: Terms, approved: Terms, reason: str
) -> list[Correction]:
    """Return the corrections with those of the terms that an underwriter changed."""
    found = list(corrections)
    for name, title in CHANGEABLE.items():
        asked, given = getattr(ask, name), getattr(approved, name)
        if given == getattr(settled, name):
            continue
        found = [correction for correction in found if correction.field != name]
        if given != asked:
            instead = f", asked for {in_dollars(asked)}" if asked is not None else ""
            why = f": {reason}" if reason else ""
            text = f"{title} {in_dollars(given)}{instead}{why}"
            found.append(Correction(name, asked, given, text, CHANGED_BY_UNDERWRITER, reason=reason or None))
    return found


def _off_the_tariff(rated: int, percent: Decimal) -> int:
    return max(1, to_whole_dollars(rated * (100 + percent) / 100))


def scaled_premium(override: Mapping[str, Any] | None, rated: int) -> int:
    """Return the tariff's premium, or the one that a person approved instead, scaled with the tariff's."""
    approved = None if override is None else _approved_premium(override, rated)
    return rated if approved is None else approved


def _approved_premium(override: Mapping[str, Any], rated: int) -> int | None:
    """Scale an approved premium with the tariff's; None where only other terms were approved."""
    if override["premium"] is None:
        return None
    return to_whole_dollars(Decimal(override["premium"]) * rated / override["rated_premium"])
