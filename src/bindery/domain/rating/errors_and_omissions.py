"""The E&O part of TEO."""

from typing import Final

from bindery.domain.rating.formula import (
    Formula,
    RatingCase,
    aggregate_retention,
    base_premium,
    limit_factor,
    prior_acts_factor,
    state_factor,
    term_factor,
)
from bindery.domain.rating.worksheet import Factor


def technology_class(case: RatingCase) -> Factor:
    return case.tariff.errors_and_omissions.classes.weigh(case.risk.answers)


def contracts_and_practice(case: RatingCase) -> Factor:
    return case.tariff.errors_and_omissions.modifiers.weigh(case.risk.answers)


def prior_acts(case: RatingCase) -> Factor:
    return prior_acts_factor(case.tariff.errors_and_omissions.prior_acts, case.risk.term)


ERRORS_AND_OMISSIONS: Final = Formula(
    lambda tariff: tariff.errors_and_omissions.part,
    (
        base_premium,
        technology_class,
        limit_factor,
        aggregate_retention,
        contracts_and_practice,
        prior_acts,
        term_factor,
        state_factor,
    ),
    by_terms=frozenset({limit_factor, aggregate_retention}),
)
