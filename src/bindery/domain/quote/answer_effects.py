"""The effect of each answer of an applicant: on the referral reasons and on the price."""

from collections import UserDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bindery.base.money import to_whole_dollars
from bindery.domain.applicant.risk import Answers, AnswerValue, Terms
from bindery.domain.products import record_of
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import Tariff
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
    fired = [rule for rule in record_of(applicant.risk.product).rulebook.applicant if rule(applicant)]
    noticing = _Noticing(applicant.risk.answers.values)
    priced = _premium(_answering(applicant, noticing), tariff, terms)
    effects = []
    for question in applicant.risk.answers.values:
        without = _without(applicant, question)
        reasons = [reason.code for rule in fired if rule(without) is None and (reason := rule(applicant))]
        dollars = 0
        # What rating did not look at did nothing to the price.
        if priced is not None and question in noticing.read:
            left_out = _premium(without, tariff, terms)
            dollars = 0 if left_out is None else priced - left_out
        effects.append(AnswerEffect(question, tuple(reasons), dollars))
    return sorted(effects, key=lambda effect: (not effect.reasons, -abs(effect.dollars)))


class _Noticing(UserDict[str, AnswerValue]):
    """Answers that record which of them are read."""

    def __init__(self, values: Mapping[str, AnswerValue]) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def __getitem__(self, question: str) -> AnswerValue:
        self.read.add(question)
        return super().__getitem__(question)


def _without(applicant: Applicant, question: str) -> Applicant:
    values = {name: value for name, value in applicant.risk.answers.values.items() if name != question}
    return _answering(applicant, values)


def _answering(applicant: Applicant, values: Mapping[str, AnswerValue]) -> Applicant:
    return replace(applicant, risk=replace(applicant.risk, answers=Answers(values)))


def _premium(applicant: Applicant, tariff: Tariff | None, terms: Terms | None) -> int | None:
    """Return the premium before the minimum applies, which would hide the effect of an answer."""
    if tariff is None or terms is None:
        return None
    try:
        sheet = rate(tariff, applicant.risk, terms, hazard_group=applicant.industry.hazard_group)
    except (LookupError, ValueError):
        return None
    return to_whole_dollars(sheet.amount)
