"""The price of a quote on another period or other terms."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.money import to_whole_dollars
from bindery.domain.coverages.edition import COVERAGES, CoverageEdition
from bindery.domain.quote.by_hand import is_set_by_hand, keep_by_hand, price_by_hand, settled_terms
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record, price_option, reprice_record
from bindery.domain.rating.tariff import Tariff, tariff_in_force
from bindery.domain.screening.case import Applicant


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTerms:
    """Terms that an underwriter approves instead of the calculated ones; None changes nothing."""

    aggregate_retention: int | None = None
    per_claim_retention: int | None = None
    premium: int | None = None

    @property
    def anything(self) -> bool:
        return self != AS_ASSESSED


AS_ASSESSED = ChangedTerms()


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

    A premium set where there was no price is used without the tariff. The quote keeps the edition of its
    coverages; `coverages` are for one without a price so far. `asked_for` names the part of the request that
    the price is for.

    Raises:
        InvalidRequest: the tariff has no price for it.
    """
    assert quote.assessment is not None, "only an assessed quote is priced again"
    before = from_record(quote.assessment)
    if is_set_by_hand(before) and not changed.anything:
        return keep_by_hand(quote, asked_for)
    terms = settled_terms(quote, tariff, applicant)
    if changed.aggregate_retention is not None:
        terms = replace(terms, aggregate_retention=changed.aggregate_retention)
    if changed.per_claim_retention is not None:
        terms = replace(terms, per_claim_retention=changed.per_claim_retention)
    override = {
        "by": actor,
        "reason": reason,
        "aggregate_retention": changed.aggregate_retention,
        "per_claim_retention": changed.per_claim_retention,
        "premium": changed.premium,
    }
    if before.worksheet is None and changed.premium is not None:
        return price_by_hand(
            quote, terms, tariff, coverages, applicant, override={**override, "rated_premium": None}
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
        if not changed.anything and before.override is not None:
            price = price_at(premium=_approved_premium(before.override, price.worksheet.premium))
    except LookupError as gap:
        flaw = Problem(asked_for, "not_priced", f"has no price in the tariff: {gap}")
        raise InvalidRequest.because([flaw]) from gap
    kept_override = before.override
    if changed.anything:
        kept_override = {**override, "rated_premium": price.worksheet.premium}
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


def _approved_premium(override: Mapping[str, Any], rated: int) -> int | None:
    """Scale an approved premium with the tariff's; None where only other terms were approved."""
    if override["premium"] is None:
        return None
    return to_whole_dollars(Decimal(override["premium"]) * rated / override["rated_premium"])
