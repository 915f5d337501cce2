"""A price range before everything is known: the prices of the best and the worst answers that are left."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from bindery.domain.applicant.risk import Answers, OptionAsk, Risk, Terms, bare_id
from bindery.domain.products import record_of
from bindery.domain.rating.modifiers import Choice, Classes, Modifier, ModifierGroup
from bindery.domain.rating.option import rate_options, settle_terms
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import ONE

BEST_SCORE: Final = 100
ASSUMED: Final = (
    "A term of 12 months from today.",
    "The usual retention for the revenue.",
    "No earlier claims or incidents, and no cover for acts before the policy.",
)

WIDEST: Final = 2
"""A range whose upper end is more than so many times its lower one is not worth showing."""

Unsettled = Container[str]
"""The bare ids of questions that have no answer yet, and may still get one."""


class _Everything(Container[str]):
    def __contains__(self, _question: object) -> bool:
        return True


_HELD: Final[Mapping[str, tuple[str, ...]]] = {
    "cyber": ("controls", "records"),
    "errors_and_omissions": ("classes", "modifiers"),
    "professional": ("classes", "modifiers"),
}
"""The factors that answers decide, by the part of the tariff."""
NOTHING_ANSWERED: Final[Unsettled] = _Everything()


@dataclass(frozen=True, slots=True)
class Indication:
    terms: Terms
    low: int
    high: int

    @property
    def is_telling(self) -> bool:
        """Whether enough is known for the range to help anybody."""
        return self.high <= WIDEST * self.low


def indicate(
    tariff: Tariff,
    risk: Risk,
    asks: Sequence[OptionAsk],
    *,
    hazard_group: int,
    unsettled: Unsettled = NOTHING_ANSWERED,
) -> tuple[Indication, ...]:
    """Return the range of each option: answers count as given, the best and the worst stand for the rest."""
    options = [settle_terms(tariff, risk.revenue, risk.product, ask).terms for ask in asks]
    worst_score = min(tariff.cyber.scan_scores.starts)
    lows, highs = (
        rate_options(held, replace(risk, scan_score=score), options, hazard_group=hazard_group)
        for held, score in zip(_held(tariff, risk, unsettled), (BEST_SCORE, worst_score), strict=True)
    )
    return tuple(
        Indication(terms, low.premium, high.premium)
        for terms, low, high in zip(options, lows, highs, strict=True)
    )


def _held(tariff: Tariff, risk: Risk, unsettled: Unsettled) -> tuple[Tariff, Tariff]:
    """Return the tariff twice: every factor of an unsettled answer fixed at its best, and at its worst.

    The parts that the product is not priced by stay as they are.
    """
    priced_by = [formula.part_of(tariff) for formula in record_of(risk.product).formulas]
    found: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for name, fields in _HELD.items():
        rates = getattr(tariff, name)
        if rates.part not in priced_by:
            continue
        spans = {field: _span(getattr(rates, field), risk.answers, unsettled) for field in fields}
        for side, changes in enumerate(found):
            changes[name] = replace(rates, **{field: span[side] for field, span in spans.items()})
    best, worst = (replace(tariff, **changes) for changes in found)
    return best, worst


def _span(rows: ModifierGroup | Classes, answers: Answers, unsettled: Unsettled) -> tuple[object, object]:
    if isinstance(rows, ModifierGroup):
        return _group(rows, answers, unsettled)
    return _classes(rows, answers, unsettled)


def _group(
    group: ModifierGroup, answers: Answers, unsettled: Unsettled
) -> tuple[ModifierGroup, ModifierGroup]:
    """Return a group without rows, fixed at its best and at its worst product."""
    best = worst = ONE
    for row in group.rows:
        factors = _factors(row, answers, unsettled)
        best *= min(factors)
        worst *= max(factors)
    return _fixed(group, best), _fixed(group, worst)


def _fixed(group: ModifierGroup, product: Decimal) -> ModifierGroup:
    if group.floor is not None:
        product = max(product, group.floor)
    if group.cap is not None:
        product = min(product, group.cap)
    return ModifierGroup(group.label, (), floor=product, cap=product)


def _factors(row: Modifier, answers: Answers, unsettled: Unsettled) -> tuple[Decimal, ...]:
    gate = row.only_when_no if isinstance(row, Choice) else None
    if row.question in unsettled or (gate is not None and bare_id(gate) in unsettled):
        # A question that is not asked has no effect.
        return (ONE, *row.factors())
    factor = row.weigh(answers)
    return (ONE if factor is None else factor.value,)


def _classes(classes: Classes, answers: Answers, unsettled: Unsettled) -> tuple[Classes, Classes]:
    factor = classes.weigh(answers).value
    possible = [factor]
    if any(question in unsettled for question in classes.options):
        is_chosen = classes.dearest(answers)[1] is not None
        # What is chosen next can only be dearer than what was chosen before.
        possible = [value for value in classes.factors.values() if value >= factor or not is_chosen]
    return _of_class(classes, min(possible)), _of_class(classes, max(possible))


def _of_class(classes: Classes, factor: Decimal) -> Classes:
    return Classes(classes.unanswered, dict.fromkeys(classes.factors, factor), {})
