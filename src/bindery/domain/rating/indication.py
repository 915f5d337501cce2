"""A price range before everything is known: the prices of the best and the worst answers that are left."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from bindery.domain.applicant.risk import Answers, OptionAsk, Risk, Terms, bare_id
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

Pick = Callable[[Iterable[Decimal]], Decimal]
Unsettled = Container[str]
"""The bare ids of questions that have no answer yet, and may still get one."""


class _Everything(Container[str]):
    def __contains__(self, _question: object) -> bool:
        return True


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
        rate_options(
            _held(tariff, risk.answers, unsettled, pick),
            replace(risk, scan_score=score),
            options,
            hazard_group=hazard_group,
        )
        for pick, score in ((min, BEST_SCORE), (max, worst_score))
    )
    return tuple(
        Indication(terms, low.premium, high.premium)
        for terms, low, high in zip(options, lows, highs, strict=True)
    )


def _held(tariff: Tariff, answers: Answers, unsettled: Unsettled, pick: Pick) -> Tariff:
    """Return the tariff with every factor of an unsettled answer fixed at its best or worst value."""

    def group(rows: ModifierGroup) -> ModifierGroup:
        return _group(rows, answers, unsettled, pick)

    cyber, liability, professional = tariff.cyber, tariff.errors_and_omissions, tariff.professional
    return replace(
        tariff,
        cyber=replace(cyber, controls=group(cyber.controls), records=group(cyber.records)),
        errors_and_omissions=replace(
            liability,
            classes=_classes(liability.classes, answers, unsettled, pick),
            modifiers=group(liability.modifiers),
        ),
        professional=replace(
            professional,
            classes=_classes(professional.classes, answers, unsettled, pick),
            modifiers=group(professional.modifiers),
        ),
    )


def _group(group: ModifierGroup, answers: Answers, unsettled: Unsettled, pick: Pick) -> ModifierGroup:
    """Return a group without rows, fixed at its best or worst product."""
    product = ONE
    for row in group.rows:
        product *= pick(_factors(row, answers, unsettled))
    if group.floor is not None:
        product = max(product, group.floor)
    if group.cap is not None:
        product = min(product, group.cap)
    return replace(group, rows=(), floor=product, cap=product)


def _factors(row: Modifier, answers: Answers, unsettled: Unsettled) -> tuple[Decimal, ...]:
    gate = row.only_when_no if isinstance(row, Choice) else None
    if row.question in unsettled or (gate is not None and bare_id(gate) in unsettled):
        # A question that is not asked has no effect.
        return (ONE, *row.factors())
    factor = row.weigh(answers)
    return (ONE if factor is None else factor.value,)


def _classes(classes: Classes, answers: Answers, unsettled: Unsettled, pick: Pick) -> Classes:
    factor = classes.weigh(answers).value
    if any(question in unsettled for question in classes.options):
        is_chosen = classes.dearest(answers)[1] is not None
        # What is chosen next can only be dearer than what was chosen before.
        factor = pick(value for value in classes.factors.values() if value >= factor or not is_chosen)
    return replace(classes, factors=dict.fromkeys(classes.factors, factor), options={})
