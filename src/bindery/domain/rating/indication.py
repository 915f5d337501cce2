"""A price range when little is known of an applicant: the prices of the best and the worst answers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from bindery.domain.applicant.risk import OptionAsk, Risk, Terms
from bindery.domain.rating.modifiers import Classes, ModifierGroup
from bindery.domain.rating.option import rate, settle_terms
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import ONE

BEST_SCORE: Final = 100
ASSUMED: Final = (
    "A term of 12 months from today.",
    "The usual retention for the revenue.",
    "No earlier claims or incidents, and no cover for acts before the policy.",
)

Pick = Callable[[Iterable[Decimal]], Decimal]


@dataclass(frozen=True, slots=True)
class Indication:
    terms: Terms
    low: int
    high: int


def indicate(tariff: Tariff, risk: Risk, aggregate_limit: int, *, hazard_group: int) -> Indication:
    terms = settle_terms(tariff, risk.revenue, risk.product, OptionAsk(aggregate_limit)).terms
    worst_score = min(tariff.cyber.scan_scores.starts)
    low, high = (
        rate(_held(tariff, pick), replace(risk, scan_score=score), terms, hazard_group=hazard_group).premium
        for pick, score in ((min, BEST_SCORE), (max, worst_score))
    )
    return Indication(terms, low, high)


def _held(tariff: Tariff, pick: Pick) -> Tariff:
    """Return the tariff with every answer factor fixed at its best or worst value."""
    cyber, liability, professional = tariff.cyber, tariff.errors_and_omissions, tariff.professional
    return replace(
        tariff,
        cyber=replace(cyber, controls=_group(cyber.controls, pick), records=_group(cyber.records, pick)),
        errors_and_omissions=replace(
            liability,
            classes=_classes(liability.classes, pick),
            modifiers=_group(liability.modifiers, pick),
        ),
        professional=replace(
            professional,
            classes=_classes(professional.classes, pick),
            modifiers=_group(professional.modifiers, pick),
        ),
    )


def _group(group: ModifierGroup, pick: Pick) -> ModifierGroup:
    """Return a group without rows, fixed at its best or worst product."""
    product = ONE
    for row in group.rows:
        # A question that is not asked has no effect.
        product *= pick((ONE, *row.factors()))
    if group.floor is not None:
        product = max(product, group.floor)
    if group.cap is not None:
        product = min(product, group.cap)
    return replace(group, rows=(), floor=product, cap=product)


def _classes(classes: Classes, pick: Pick) -> Classes:
    factor = pick(classes.factors.values())
    return replace(classes, factors=dict.fromkeys(classes.factors, factor), options={})
