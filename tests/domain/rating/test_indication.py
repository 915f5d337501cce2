"""A price range before everything is known, and the price that it then turns out to be."""

from dataclasses import replace
from datetime import date
from random import Random

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Answers, OptionAsk, Risk, Term
from bindery.domain.questions.conditions import Facts, QuestionContext
from bindery.domain.questions.layout import unsettled_questions
from bindery.domain.questions.question import question_set
from bindery.domain.questions.sheet import read_answers
from bindery.domain.questions.values import RawValue
from bindery.domain.rating.indication import indicate
from bindery.domain.rating.option import rate, settle_terms
from bindery.domain.rating.tariff import TARIFFS
from support.answering import all_made_up

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL
TERM = Term(date(2026, 12, 1), date(2027, 12, 1))
TARIFF = TARIFFS.named("2026.1")
ASKS = (OptionAsk(1_000_000), OptionAsk(2_000_000, aggregate_retention=25_000, per_claim_retention=25_000))
HAZARD = 3


def risk_of(
    product: InsuranceProduct, revenue: int, answers: dict[str, RawValue]
) -> tuple[Risk, frozenset[str]]:
    questions, context = question_set(product, "2026.1"), QuestionContext(revenue, TERM)
    counting = read_answers(questions, list(answers.items()), context).counting
    unsettled = unsettled_questions(questions, Facts(counting.values, context))
    return Risk(product, revenue, "PA", "311811", counting, TERM), unsettled


@pytest.mark.parametrize("revenue", [900_000, 6_400_000, 30_000_000])
@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_the_range_narrows_with_each_answer_and_never_leaves_the_price_out(
    product: InsuranceProduct, revenue: int
) -> None:
    chance = Random(f"{product} {revenue}")
    for _ in range(6):
        # The range assumes that there were no incidents until somebody says so.
        answers = all_made_up(question_set(product, "2026.1"), chance) | {"Q2146": False}
        if product is MPL:
            del answers["Q2146"]
        order = chance.sample(sorted(answers), len(answers))
        final, _ = risk_of(product, revenue, answers)
        prices = [
            rate(
                TARIFF,
                replace(final, scan_score=chance.randint(0, 100)),
                settle_terms(TARIFF, revenue, product, ask).terms,
                hazard_group=HAZARD,
            ).premium
            for ask in ASKS
        ]
        before = indicate(TARIFF, replace(final, answers=Answers()), ASKS, hazard_group=HAZARD)
        for count in range(0, len(order) + 1, 4):
            risk, unsettled = risk_of(product, revenue, {name: answers[name] for name in order[:count]})
            found = indicate(TARIFF, risk, ASKS, hazard_group=HAZARD, unsettled=unsettled)

            for wider, narrower, price in zip(before, found, prices, strict=True):
                assert wider.low <= narrower.low <= price <= narrower.high <= wider.high
            before = found


def test_with_every_answer_given_only_the_scan_is_left() -> None:
    answers = all_made_up(question_set(MPL, "2026.1"), Random(1))
    risk, unsettled = risk_of(MPL, 900_000, answers)

    (found,) = indicate(TARIFF, risk, ASKS[:1], hazard_group=HAZARD, unsettled=unsettled)

    assert found.low == found.high == rate(TARIFF, risk, found.terms, hazard_group=HAZARD).premium
