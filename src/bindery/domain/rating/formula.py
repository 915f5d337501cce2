"""A formula is a tuple of rules, each of which gives one factor; here it is worked out into steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Final

from msgspec import Struct

from bindery.base.numbers import in_dollars
from bindery.domain.applicant.risk import Risk, Term, Terms
from bindery.domain.rating.tariff import PartRates, PriorActs, Tariff
from bindery.domain.rating.worksheet import EXACT, ONE, Factor, Part, WorksheetStep


class RatingCase(Struct, frozen=True):
    tariff: Tariff
    part: PartRates
    risk: Risk
    terms: Terms
    hazard_group: int


Rule = Callable[[RatingCase], Factor]


@dataclass(frozen=True, slots=True)
class Formula:
    """The factors of one part, in the order of the worksheet; the first is the base premium.

    `by_terms` are the rules that depend on the terms; the others are the same for every option of a risk.
    """

    part_of: Callable[[Tariff], PartRates]
    rules: tuple[Rule, ...]
    by_terms: frozenset[Rule]


def work_out(
    formula: Formula, tariff: Tariff, risk: Risk, options: Sequence[Terms], hazard_group: int
) -> list[Part]:
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


DAYS_OF_A_YEAR: Final = 365
TERM_PLACES: Final = Decimal("0.000001")
"""A fraction of a year may never end; it is fixed to these places as a factor of its own."""

_TERM: Final = Context(prec=28, rounding=ROUND_HALF_UP)


def base_premium(case: RatingCase) -> Factor:
    revenue = case.risk.revenue
    return Factor("Base premium", f"Revenue of {in_dollars(revenue)}", case.part.base.at(revenue))


def limit_factor(case: RatingCase) -> Factor:
    terms = case.terms
    return _limit_factor(
        case.part, case.tariff.per_claim_weight, terms.aggregate_limit, terms.per_claim_limit
    )


@lru_cache(maxsize=1024)
def _limit_factor(part: PartRates, weight: Decimal, aggregate_limit: int, per_claim_limit: int) -> Factor:
    aggregate = part.limit(aggregate_limit)
    if per_claim_limit == aggregate_limit:
        return Factor("Limit", f"{in_dollars(aggregate_limit)} aggregate", aggregate)
    per_claim = part.limit(per_claim_limit)
    rest = EXACT.subtract(ONE, weight)
    blended = EXACT.add(EXACT.multiply(weight, per_claim), EXACT.multiply(rest, aggregate))
    reason = (
        f"{in_dollars(per_claim_limit)} per claim ({weight} of {per_claim}), "
        f"{in_dollars(aggregate_limit)} aggregate ({rest} of {aggregate})"
    )
    return Factor("Limit", reason, blended)


def aggregate_retention(case: RatingCase) -> Factor:
    retention = case.terms.aggregate_retention
    if retention is None:
        raise ValueError(f"{case.risk.product} is priced by its aggregate retention, and the terms have none")
    return Factor("Retention", in_dollars(retention), case.part.retention(retention))


def state_factor(case: RatingCase) -> Factor:
    state = case.risk.state
    return Factor("State", state, case.tariff.states.get(state, case.tariff.default_state))


def term_factor(case: RatingCase) -> Factor:
    """Price the length of the policy: a longer one by its days, a shorter one at a higher price per day."""
    term = case.risk.term
    return _term_factor(case.tariff.short_rate_share, term.effective, term.expiration)


@lru_cache(maxsize=1024)
def _term_factor(short_rate_share: Decimal, effective: date, expiration: date) -> Factor:
    usual = years_after(effective, 1)
    if expiration == usual:
        return Factor("Term", "12 months", ONE)
    days = (expiration - effective).days
    if expiration > usual:
        return Factor("Term", f"{days} days", _fraction_of_a_year(Decimal(days)))
    charged = EXACT.fma(short_rate_share, Decimal(DAYS_OF_A_YEAR - days), Decimal(days))
    return Factor("Term", f"{days} days at the short rate", _fraction_of_a_year(charged))


def prior_acts_factor(loads: PriorActs, term: Term) -> Factor:
    retroactive = term.retroactive
    if isinstance(retroactive, str):
        raise ValueError(f"{retroactive!r} is not a date")  # noqa: TRY004 - the type is right, the text is not
    years = years_begun(retroactive, term.effective) if retroactive is not None else 0
    if not years:
        return Factor("Prior acts", "None before the effective date", ONE)
    load = min(EXACT.multiply(loads.load_per_year, Decimal(years)), loads.load_cap)
    reason = f"Retroactive to {retroactive}, years begun: {years}"
    return Factor("Prior acts", reason, EXACT.add(ONE, load))


def years_after(day: date, years: int) -> date:
    """Return the same day some years later; a leap day becomes the last of February."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)


def years_begun(start: date, end: date) -> int:
    """Count the years begun between two days: a day counts as one, and so does exactly a year."""
    if start >= end:
        return 0
    years = end.year - start.year
    return years if years_after(start, years) >= end else years + 1


def _fraction_of_a_year(days: Decimal) -> Decimal:
    return _TERM.divide(days, Decimal(DAYS_OF_A_YEAR)).quantize(TERM_PLACES, context=_TERM).normalize(_TERM)
