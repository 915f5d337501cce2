"""The effect of each answer of an applicant: on the referral reasons and on the price."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce

from msgspec import Struct, structs

from bindery.base.numbers import to_whole_dollars
from bindery.domain.applicant.risk import Answers, AnswerValue, Terms
from bindery.domain.products import record_of
from bindery.domain.rating.formula import Formula, RatingCase, Rule
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import EXACT, ONE, add_up
from bindery.domain.screening.case import Applicant


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    question: str
    reasons: tuple[str, ...] = ()
    dollars: int = 0

    @property
    def is_any(self) -> bool:
        return bool(self.reasons or self.dollars)


def answer_effects(applicant: Applicant, tariff: Tariff | None, terms: Terms | None) -> list[AnswerEffect]:
    """Return the effect of every answer: reasons first, then the largest changes of the price.

    An unanswered question has no effect, so each answer is left out in turn. `tariff` and `terms` are those
    of the option shown, None where it has no price.
    """
    values = applicant.risk.answers.values
    fired = {
        rule: reason.code
        for rule in record_of(applicant.risk.product).rulebook.applicant
        if (reason := rule(applicant))
    }
    noticing = _Noticing(values)
    for rule in fired:
        rule(_answering(applicant, noticing))
    price = _price_by_answers(applicant, tariff, terms)
    effects = []
    for question in values:
        reasons: tuple[str, ...] = ()
        dollars = 0
        # What nobody looked at had no effect.
        if question in noticing.read or (price is not None and question in price.read):
            without = _answering(applicant, {name: values[name] for name in values if name != question})
            reasons = tuple(code for rule, code in fired.items() if rule(without) is None)
            dollars = price.lost_without(question, without) if price is not None else 0
        effects.append(AnswerEffect(question, reasons, dollars))
    return sorted(effects, key=lambda effect: (not effect.reasons, -abs(effect.dollars)))


class _Noticing(Mapping[str, AnswerValue]):
    """Answers that record which of them are looked at."""

    def __init__(self, values: Mapping[str, AnswerValue]) -> None:
        self._values = values
        self.read: set[str] = set()

    def __getitem__(self, question: str) -> AnswerValue:
        self.read.add(question)
        return self._values[question]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _answering(applicant: Applicant, values: Mapping[str, AnswerValue]) -> Applicant:
    return replace(applicant, risk=replace(applicant.risk, answers=Answers(values)))


class _Line(Struct, frozen=True):
    """One factor of a price, and the answers that its rule looked at."""

    rule: Rule
    case: RatingCase
    value: Decimal
    read: frozenset[str]


@dataclass(frozen=True, slots=True)
class _PriceByAnswers:
    """A price before the minimum applies, which would hide the effect of an answer; lines by part."""

    parts: tuple[tuple[_Line, ...], ...]
    premium: int
    read: frozenset[str]

    def lost_without(self, question: str, applicant: Applicant) -> int:
        """Return how much less an applicant pays without an answer; only its own lines are rated again."""
        if question not in self.read:
            return 0
        try:
            return self.premium - _premium(
                [
                    line.rule(structs.replace(line.case, risk=applicant.risk)).value
                    if question in line.read
                    else line.value
                    for line in part
                ]
                for part in self.parts
            )
        except (LookupError, ValueError):
            return 0


def _price_by_answers(
    applicant: Applicant, tariff: Tariff | None, terms: Terms | None
) -> _PriceByAnswers | None:
    if tariff is None or terms is None:
        return None
    try:
        parts = tuple(
            tuple(_lines(formula, applicant, tariff, terms))
            for formula in record_of(applicant.risk.product).formulas
        )
    except (LookupError, ValueError):
        return None
    premium = _premium([line.value for line in part] for part in parts)
    return _PriceByAnswers(
        parts, premium, frozenset[str]().union(*(line.read for part in parts for line in part))
    )


def _lines(formula: Formula, applicant: Applicant, tariff: Tariff, terms: Terms) -> Iterator[_Line]:
    noticing = _Noticing(applicant.risk.answers.values)
    risk = _answering(applicant, noticing).risk
    case = RatingCase(tariff, formula.part_of(tariff), risk, terms, applicant.industry.hazard_group)
    for rule in formula.rules:
        noticing.read = set()
        yield _Line(rule, case, rule(case).value, frozenset(noticing.read))


def _premium(parts: Iterable[Iterable[Decimal]]) -> int:
    return to_whole_dollars(add_up(reduce(EXACT.multiply, factors, ONE) for factors in parts))
