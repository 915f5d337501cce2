"""MPL: one part, with a retention per claim."""

from typing import Final

from bindery.base.money import in_dollars
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.rating.formula import (
    Formula,
    RatingCase,
    base_premium,
    limit_factor,
    prior_acts_factor,
    state_factor,
    term_factor,
)
from bindery.domain.rating.worksheet import ONE, Factor


def service_class(case: RatingCase) -> Factor:
    return case.tariff.professional.classes.weigh(case.risk.answers)


def per_claim_retention(case: RatingCase) -> Factor:
    retention = case.terms.per_claim_retention
    if retention is None:
        raise ValueError("MPL is priced by its per-claim retention, and the terms have none")
    return Factor("Retention", f"{in_dollars(retention)} per claim", case.part.retention(retention))


def retention_cap(case: RatingCase) -> Factor:
    """Price an aggregate retention, which on MPL caps the insured's retentions of a year."""
    cap = case.terms.aggregate_retention
    if cap is None:
        return Factor("Cap on retentions", "None", ONE)
    return Factor(
        "Cap on retentions", f"{in_dollars(cap)} a year", case.tariff.professional.retention_cap_factor
    )


def practice_and_claims(case: RatingCase) -> Factor:
    return case.tariff.professional.modifiers.weigh(case.risk.answers)


def prior_acts(case: RatingCase) -> Factor:
    rates, term = case.tariff.professional, case.risk.term
    if term.retroactive == FULL_PRIOR_ACTS:
        return Factor("Prior acts", "Full prior acts", rates.full_prior_acts)
    return prior_acts_factor(rates.prior_acts, term)


PROFESSIONAL: Final = Formula(
    lambda tariff: tariff.professional.part,
    (
        base_premium,
        service_class,
        limit_factor,
        per_claim_retention,
        retention_cap,
        practice_and_claims,
        prior_acts,
        term_factor,
        state_factor,
    ),
    by_terms=frozenset({limit_factor, per_claim_retention, retention_cap}),
)
