"""A formula is a tuple of rules, each of which gives one factor; here it is worked out into steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bindery.domain.applicant.risk import Risk, Terms
from bindery.domain.rating.tariff import PartRates, Tariff
from bindery.domain.rating.worksheet import EXACT, ONE, Factor, Part, WorksheetStep


@dataclass(frozen=True, slots=True)
class RatingCase:
    """What one part of one option is priced from."""

    tariff: Tariff
    part: PartRates
    risk: Risk
    terms: Terms
    hazard_group: int


Rule = Callable[[RatingCase], Factor]


@dataclass(frozen=True, slots=True)
class Formula:
    """The factors of one part, in the order of the worksheet; the first is the base premium.

    `by_terms` are the rules that look at the terms; the others come to the same for every option of a risk.
    """

    part_of: Callable[[Tariff], PartRates]
    rules: tuple[Rule, ...]
    by_terms: frozenset[Rule]


def work_out(
    formula: Formula, tariff: Tariff, risk: Risk, options: Sequence[Terms], hazard_group: int
) -> list[Part]:
    """Multiply the factors of a formula for each option, keeping every step."""
    part = formula.part_of(tariff)
    shared: dict[Rule, Factor] = {}
    parts = []
    for terms in options:
        case = RatingCase(tariff, part, risk, terms, hazard_group)
        running = ONE
        steps = []
        for rule in formula.rules:
            factor = shared.get(rule)
            if factor is None:
                factor = rule(case)
                if rule not in formula.by_terms:
                    shared[rule] = factor
            running = EXACT.multiply(running, factor.value)
            steps.append(WorksheetStep(factor.label, factor.reason, factor.value, running, factor.components))
        parts.append(Part(part.title, part.terrorism_share, tuple(steps)))
    return parts
