"""A premium that a person sets where the tariff has none: it has no factors, but a name and a reason."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec

from bindery.base.errors import InvalidRequest, Problem
from bindery.base.numbers import to_cents
from bindery.domain.applicant.risk import Terms
from bindery.domain.coverages.edition import CoverageEdition, coverages_for
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.surcharges import surcharges_for
from bindery.domain.rating.tariff import Tariff
from bindery.domain.screening.case import Applicant


def is_set_by_hand(record: AssessmentRecord) -> bool:
    return record.worksheet is None and record.override is not None


def settled_terms(quote: Quote, tariff: Tariff, applicant: Applicant) -> Terms:
    """Return the terms of a quote; if its work was given up before any were settled, those requested."""
    risk = applicant.risk
    return quote.terms or settle_terms(tariff, risk.revenue, risk.product, quote.ask).terms


def price_by_hand(
    quote: Quote,
    record: AssessmentRecord,
    terms: Terms,
    tariff: Tariff,
    coverages: CoverageEdition,
    applicant: Applicant,
    *,
    override: dict[str, Any],
) -> Quote:
    """Price an option at an underwriter's premium where the tariff has none; the state sets its taxes."""
    risk, premium = applicant.risk, int(override["premium"])
    try:
        surcharges = surcharges_for(risk.state, risk.term.effective, premium)
    except LookupError as gap:
        raise InvalidRequest.because([Problem("premium", "not_priced", f"cannot be set: {gap}")]) from gap
    # Nobody knows which part of such a premium is for what: the largest portion that any part of it has.
    share = max(formula.part_of(tariff).terrorism_share for formula in record_of(risk.product).formulas)
    plain = {
        **msgspec.structs.asdict(record),
        "worksheet": None,
        "rated_premium": None,
        "coverages": coverages_for(coverages, risk, terms, restricted_ransomware=risk.answers.no("Q2301")),
        "surcharges": surcharges.items,
        "surcharges_effective_from": surcharges.effective_from,
        "surcharges_effective_until": surcharges.effective_until,
        "filing_effective_from": tariff.effective_from,
        "override": {**override, "terrorism": str(to_cents(share * Decimal(premium)))},
    }
    return replace(quote, terms=terms, premium=premium, assessment=msgspec.json.encode(plain).decode())


def keep_by_hand(quote: Quote, asked_for: str) -> Quote:
    """Leave a premium as set: it holds for the quoted period only."""
    if asked_for == "dates":
        flaw = "must be those quoted: an underwriter set the premium by hand for them"
        raise InvalidRequest.because([Problem("dates", "set_by_hand", flaw)])
    return quote
