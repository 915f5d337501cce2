"""Faults of a tariff, or of the state charges, that reading alone does not find."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, pairwise
from typing import Final, TypeVar, get_args

from bindery.contract.vocabulary import AggregateLimit, AggregateRetention, PerClaimLimit, PerClaimRetention
from bindery.domain.applicant.us_states import state_names
from bindery.domain.rating.modifiers import Banded, Bands, Classes, Curve, ModifierGroup
from bindery.domain.rating.surcharges import ONE_DAY, ROUNDINGS, TAX, ChargeRule, charge_rules
from bindery.domain.rating.tariff import PartRates, RetentionRules, Tariff

Number = TypeVar("Number", int, Decimal)

BASE_LIMIT: Final = 1_000_000
BASE_RETENTION: Final = 2_500
HAZARD_GROUPS: Final = (1, 2, 3, 4, 5, 6)
AGGREGATE_LIMITS: Final[tuple[int, ...]] = get_args(AggregateLimit)
ALL_LIMITS: Final = tuple(sorted({*AGGREGATE_LIMITS, *get_args(PerClaimLimit)}))
AGGREGATE_RETENTIONS: Final[tuple[int, ...]] = get_args(AggregateRetention)
PER_CLAIM_RETENTIONS: Final[tuple[int, ...]] = get_args(PerClaimRetention)


def check_tariff(tariff: Tariff) -> list[str]:
    cyber, technology, professional = tariff.cyber, tariff.errors_and_omissions, tariff.professional
    faults = chain(
        _check_part("cyber", cyber.part, AGGREGATE_RETENTIONS),
        _check_part("errors_and_omissions", technology.part, AGGREGATE_RETENTIONS),
        _check_part("professional", professional.part, PER_CLAIM_RETENTIONS),
        _check_minimum_premiums(tariff),
        _check_retention_rules("retention_rules.aggregate", tariff.aggregate_retention, AGGREGATE_RETENTIONS),
        _check_retention_rules("retention_rules.per_claim", tariff.per_claim_retention, PER_CLAIM_RETENTIONS),
        _check_hazard_groups(tariff),
        _check_bands("cyber.scan.scores", cyber.scan_scores),
        _check_falling("cyber.scan.scores", cyber.scan_scores.values),
        _check_group("cyber.controls", cyber.controls),
        _check_group("cyber.records", cyber.records),
        _check_group("cyber.claims", cyber.claims),
        _check_group("errors_and_omissions.modifiers", technology.modifiers),
        _check_group("professional.modifiers", professional.modifiers),
        _check_classes("errors_and_omissions.classes", technology.classes),
        _check_classes("professional.classes", professional.classes),
        _check_states(tariff),
        _check_shares(tariff),
        _check_prior_acts(tariff),
    )
    return list(faults)


def _check_part(name: str, part: PartRates, retentions: Sequence[int]) -> Iterator[str]:
    yield from _check_curve(f"{name}.base", part.base)
    yield from _check_keys(f"{name}.limits", part.limits, ALL_LIMITS)
    yield from _check_positive(f"{name}.limits", part.limits.values())
    yield from _check_rising(f"{name}.limits", tuple(part.limits.values()))
    yield from _check_concave(f"{name}.limits", part.limits)
    yield from _check_neutral(f"{name}.limits", part.limits, BASE_LIMIT)
    yield from _check_keys(f"{name}.retentions", part.retentions, retentions)
    yield from _check_positive(f"{name}.retentions", part.retentions.values())
    yield from _check_falling(f"{name}.retentions", tuple(part.retentions.values()))
    yield from _check_neutral(f"{name}.retentions", part.retentions, BASE_RETENTION)


def _check_curve(name: str, curve: Curve) -> Iterator[str]:
    yield from _check_rising(f"{name} revenues", curve.revenues)
    yield from _check_rising(f"{name} premiums", curve.premiums)


def _check_minimum_premiums(tariff: Tariff) -> Iterator[str]:
    for product, minimums in tariff.minimum_premiums.items():
        name = f"minimum_premiums.{product}"
        yield from _check_keys(name, minimums, AGGREGATE_LIMITS)
        yield from _check_positive(name, minimums.values())
        yield from _check_rising(name, tuple(minimums.values()))


def _check_retention_rules(name: str, rules: RetentionRules, retentions: Sequence[int]) -> Iterator[str]:
    for which, bands in (("minimum", rules.minimum), ("default", rules.default)):
        yield from _check_bands(f"{name}.{which}", bands)
        yield from _check_rising(f"{name}.{which}", bands.values)
        for value in bands.values:
            if value not in retentions:
                yield f"{name}.{which}: {value} is not a retention that can be quoted"
    starts = sorted({*rules.minimum.starts, *rules.default.starts})
    for revenue in starts:
        if revenue < max(rules.minimum.starts[0], rules.default.starts[0]):
            continue
        if rules.default.at(revenue) < rules.minimum.at(revenue):
            yield f"{name}: from a revenue of {revenue} the default is below the minimum"


def _check_hazard_groups(tariff: Tariff) -> Iterator[str]:
    groups = tariff.cyber.hazard_groups
    yield from _check_keys("cyber.hazard_groups", groups, HAZARD_GROUPS)
    yield from _check_positive("cyber.hazard_groups", groups.values())
    yield from _check_rising("cyber.hazard_groups", tuple(groups.values()))
    if tariff.cyber_hazard_group_in_technology not in groups:
        yield f"technology: there is no hazard group {tariff.cyber_hazard_group_in_technology}"


def _check_group(name: str, group: ModifierGroup) -> Iterator[str]:
    if group.floor is not None and not 0 < group.floor <= 1:
        yield f"{name}: a floor of {group.floor} does not let neutral answers through"
    if group.cap is not None and group.cap < 1:
        yield f"{name}: a cap of {group.cap} does not let neutral answers through"
    questions = [row.question for row in group.rows]
    for question in sorted({question for question in questions if questions.count(question) > 1}):
        yield f"{name}: question {question} counts twice"
    for row in group.rows:
        yield from _check_positive(f"{name} question {row.question}", row.factors())
        if isinstance(row, Banded):
            yield from _check_bands(f"{name} question {row.question}", row.bands)
            yield from _check_one_way(f"{name} question {row.question}", row.bands.values)


def _check_classes(name: str, classes: Classes) -> Iterator[str]:
    yield from _check_positive(f"{name}.factors", classes.factors.values())
    yield from _check_rising(f"{name}.factors", tuple(classes.factors.values()))
    if classes.unanswered not in classes.factors:
        yield f"{name}: class {classes.unanswered} of an unanswered question has no factor"
    elif classes.factors[classes.unanswered] != 1:
        yield f"{name}: class {classes.unanswered} of an unanswered question is not neutral"
    for question, class_by_option in classes.options.items():
        for option, found in class_by_option.items():
            if found not in classes.factors:
                yield f"{name} question {question}: class {found} of {option!r} has no factor"


def _check_states(tariff: Tariff) -> Iterator[str]:
    yield from _check_positive("states", (tariff.default_state, *tariff.states.values()))
    for state in tariff.states:
        if state not in charge_rules():
            yield f"states: {state} is not a state"


def _check_shares(tariff: Tariff) -> Iterator[str]:
    shares = {
        "limits.per_claim_weight": tariff.per_claim_weight,
        "term.short_rate_share": tariff.short_rate_share,
        "technology.cyber_share": tariff.cyber_share_in_technology,
        "retention_rules.max_share_of_limit": tariff.max_retention_share,
        "cyber.terrorism_share": tariff.cyber.part.terrorism_share,
        "errors_and_omissions.terrorism_share": tariff.errors_and_omissions.part.terrorism_share,
        "professional.terrorism_share": tariff.professional.part.terrorism_share,
    }
    for name, share in shares.items():
        if share > 1:
            yield f"{name}: {share} is not a share"
    if tariff.max_retention_share * min(AGGREGATE_LIMITS) < min(AGGREGATE_RETENTIONS):
        yield "retention_rules.max_share_of_limit: no retention fits the smallest limit"
    if tariff.professional.retention_cap_factor < 1:
        yield "professional.retention_cap_factor: a cap on retentions cannot make the cover cheaper"


def _check_prior_acts(tariff: Tariff) -> Iterator[str]:
    for name, loads in (
        ("errors_and_omissions.prior_acts", tariff.errors_and_omissions.prior_acts),
        ("professional.prior_acts", tariff.professional.prior_acts),
    ):
        if loads.load_cap < loads.load_per_year:
            yield f"{name}: the cap is below the load of one year"
    if tariff.professional.full_prior_acts < 1 + tariff.professional.prior_acts.load_cap:
        yield "professional.full_prior_acts: all prior acts cost less than some of them"


def _check_keys(name: str, table: Mapping[int, object], wanted: Sequence[int]) -> Iterator[str]:
    missing, unknown = sorted(set(wanted) - set(table)), sorted(set(table) - set(wanted))
    if missing:
        yield f"{name}: no value for {', '.join(map(str, missing))}"
    if unknown:
        yield f"{name}: nothing can ask for {', '.join(map(str, unknown))}"
    if list(table) != sorted(table):
        yield f"{name}: not in rising order"


def _check_bands(name: str, bands: Bands[int] | Bands[Decimal]) -> Iterator[str]:
    if bands.starts[0] != 0:
        yield f"{name}: nothing below {bands.starts[0]}"
    yield from _check_rising(f"{name} bands", bands.starts)


def _check_positive(name: str, values: Iterable[Number]) -> Iterator[str]:
    if any(value <= 0 for value in values):
        yield f"{name}: not every value is above zero"


def _check_rising(name: str, values: Sequence[Number]) -> Iterator[str]:
    for before, after in pairwise(values):
        if after <= before:
            yield f"{name}: {after} after {before} does not rise"


def _check_falling(name: str, values: Sequence[Decimal]) -> Iterator[str]:
    for before, after in pairwise(values):
        if after >= before:
            yield f"{name}: {after} after {before} does not fall"


def _check_one_way(name: str, values: Sequence[Decimal]) -> Iterator[str]:
    if list(values) not in (sorted(values), sorted(values, reverse=True)):
        yield f"{name}: the factors go up and down"


def _check_concave(name: str, limits: Mapping[int, Decimal]) -> Iterator[str]:
    """Find limits where a further dollar costs more than the one before."""
    points = ((0, Decimal(0)), *sorted(limits.items()))
    slopes = [
        (after, (factor_after - factor_before) / (after - before))
        for (before, factor_before), (after, factor_after) in pairwise(points)
    ]
    for (_, slope_before), (limit, slope_after) in pairwise(slopes):
        if slope_after > slope_before:
            yield f"{name}: a dollar of limit costs more toward {limit} than before it"


def _check_neutral(name: str, table: Mapping[int, Decimal], at: int) -> Iterator[str]:
    if table.get(at) != 1:
        yield f"{name}: the base premium is for {at}, so its factor must be 1"


def check_charges(rules: Mapping[str, Sequence[ChargeRule]]) -> list[str]:
    faults = [f"{state}: has no charges" for state in state_names() if state not in rules]
    for state, charges in rules.items():
        if state not in state_names():
            faults.append(f"{state}: is not a state")
        faults += [f"{state}: {fault}" for fault in (*_bad_amounts(charges), *_bad_periods(charges))]
    return faults


def _bad_amounts(charges: Sequence[ChargeRule]) -> Iterator[str]:
    for charge in charges:
        if charge.percentage < 0 or charge.flat < 0 or not (charge.percentage or charge.flat):
            yield f"{charge.title}: must be a percentage or an amount above zero"
        if charge.rounding not in ROUNDINGS:
            yield f"{charge.title}: the rounding {charge.rounding} is not known"


def _bad_periods(charges: Sequence[ChargeRule]) -> Iterator[str]:
    for charge in charges:
        if charge.effective_until is not None and charge.effective_until < charge.effective_from:
            yield f"{charge.title}: ends before it begins"
    taxes = sorted((c for c in charges if c.kind == TAX), key=lambda charge: charge.effective_from)
    if not taxes:
        yield "has no tax"
    for title in dict.fromkeys(charge.title for charge in charges):
        same = sorted((c for c in charges if c.title == title), key=lambda charge: charge.effective_from)
        for earlier, later in pairwise(same):
            if earlier.effective_until is None or later.effective_from <= earlier.effective_until:
                yield f"{title}: is twice in force on {later.effective_from}"
    for earlier, later in pairwise(taxes):
        if earlier.effective_until is not None and later.effective_from > earlier.effective_until + ONE_DAY:
            yield f"no tax is in force on {earlier.effective_until + ONE_DAY}"
    if taxes and taxes[-1].effective_until is not None:
        yield f"no tax is in force after {taxes[-1].effective_until}"
