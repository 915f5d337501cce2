"""The formulas: cyber (all of CYB, and the part that TEO always has), the E&O part of TEO, and MPL."""

from dataclasses import replace
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.rating.formula import (
    Formula,
    RatingCase,
    Rule,
    aggregate_retention,
    base_premium,
    limit_factor,
    prior_acts_factor,
    state_factor,
    term_factor,
)
from bindery.domain.rating.worksheet import ONE, Factor


def industry_hazard(case: RatingCase) -> Factor:
    group = case.hazard_group
    return Factor("Hazard", f"Group {group}", case.tariff.cyber.hazard_groups[group])


def technology_hazard(case: RatingCase) -> Factor:
    group = case.tariff.cyber_hazard_group_in_technology
    factor = case.tariff.cyber.hazard_groups[group]
    return Factor("Hazard", f"Group {group}, as for every technology firm", factor)


def controls(case: RatingCase) -> Factor:
    return case.tariff.cyber.controls.weigh(case.risk.answers)


def records(case: RatingCase) -> Factor:
    return case.tariff.cyber.records.weigh(case.risk.answers)


def claims(case: RatingCase) -> Factor:
    return case.tariff.cyber.claims.weigh(case.risk.answers)


def scan(case: RatingCase) -> Factor:
    score = case.risk.scan_score
    if score is None:
        return Factor("Scan", "Nothing scanned", case.tariff.cyber.unscanned)
    return Factor("Scan", f"Score of {score}", case.tariff.cyber.scan_scores.at(score))


def shared_aggregate(case: RatingCase) -> Factor:
    """Deduct the saving of sharing one aggregate limit between cyber and E&O."""
    return Factor("Shared aggregate", "One limit with the E&O part", case.tariff.cyber_share_in_technology)


def _rules(hazard: Rule) -> tuple[Rule, ...]:
    return (
        base_premium,
        hazard,
        limit_factor,
        aggregate_retention,
        controls,
        records,
        claims,
        scan,
        state_factor,
        term_factor,
    )


BY_TERMS: Final = frozenset({limit_factor, aggregate_retention})
CYBER: Final = Formula(lambda tariff: tariff.cyber.part, _rules(industry_hazard), BY_TERMS)
CYBER_WITHIN_TECHNOLOGY: Final = replace(CYBER, rules=(*_rules(technology_hazard), shared_aggregate))


def technology_class(case: RatingCase) -> Factor:
    return case.tariff.errors_and_omissions.classes.weigh(case.risk.answers)


def contracts_and_practice(case: RatingCase) -> Factor:
    return case.tariff.errors_and_omissions.modifiers.weigh(case.risk.answers)


def technology_prior_acts(case: RatingCase) -> Factor:
    return prior_acts_factor(case.tariff.errors_and_omissions.prior_acts, case.risk.term)


ERRORS_AND_OMISSIONS: Final = Formula(
    lambda tariff: tariff.errors_and_omissions.part,
    (
        base_premium,
        technology_class,
        limit_factor,
        aggregate_retention,
        contracts_and_practice,
        technology_prior_acts,
        term_factor,
        state_factor,
    ),
    by_terms=frozenset({limit_factor, aggregate_retention}),
)


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


def professional_prior_acts(case: RatingCase) -> Factor:
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
        professional_prior_acts,
        term_factor,
        state_factor,
    ),
    by_terms=frozenset({limit_factor, per_claim_retention, retention_cap}),
)
