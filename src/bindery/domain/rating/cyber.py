"""The cyber part: all of CYB, and the cover that TEO always carries."""

from dataclasses import replace
from typing import Final

from bindery.domain.rating.formula import (
    Formula,
    RatingCase,
    Rule,
    aggregate_retention,
    base_premium,
    limit_factor,
    state_factor,
    term_factor,
)
from bindery.domain.rating.worksheet import Factor


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
