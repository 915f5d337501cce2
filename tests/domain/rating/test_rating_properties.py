"""What must hold for every risk, not only for those somebody thought of."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bindery.domain.applicant.risk import Answers, AnswerValue, Risk
from bindery.domain.rating.option import rate_options
from domain.rating.ladders import LADDERS, LIMITS, RETENTIONS, random_risk, random_terms
from domain.rating.rating_cases import TARIFF, price, terms_of

risks = st.integers(0, 2**32).map(lambda seed: random_risk(random.Random(seed)))
# No deadline, because the machine may be busy; no database, because a test leaves nothing behind.
searched = settings(max_examples=200, deadline=None, database=None)
hazard_groups = st.integers(1, 6)


def with_answer(risk: Risk, question: str, answer: AnswerValue) -> Risk:
    return replace(risk, answers=Answers({**risk.answers.values, question: answer}))


@searched
@given(risks, hazard_groups, st.data())
def test_a_worse_answer_never_lowers_the_premium(risk: Risk, hazard_group: int, data: st.DataObject) -> None:
    question, ladder = data.draw(st.sampled_from(list(LADDERS[risk.product].items())))
    better, worse = sorted(data.draw(st.lists(st.integers(0, len(ladder) - 1), min_size=2, max_size=2)))
    terms = random_terms(risk, data.draw(st.randoms(use_true_random=False)))

    good = price(with_answer(risk, question, ladder[better]), terms, hazard_group=hazard_group)
    bad = price(with_answer(risk, question, ladder[worse]), terms, hazard_group=hazard_group)

    assert good.premium <= bad.premium
    assert good.amount <= bad.amount


@searched
@given(risks, st.integers(0, 100), st.integers(0, 100))
def test_a_worse_scan_never_lowers_the_premium(risk: Risk, one_score: int, other_score: int) -> None:
    low, high = sorted((one_score, other_score))

    worse = price(replace(risk, scan_score=low)).premium

    assert worse >= price(replace(risk, scan_score=high)).premium


@searched
@given(risks, hazard_groups)
def test_a_worse_industry_never_lowers_the_premium(risk: Risk, hazard_group: int) -> None:
    premium = price(risk, hazard_group=hazard_group).premium

    assert all(price(risk, hazard_group=worse).premium >= premium for worse in range(hazard_group, 7))


@searched
@given(risks, st.data())
def test_more_limit_always_costs_more(risk: Risk, data: st.DataObject) -> None:
    retention = data.draw(st.sampled_from(RETENTIONS[risk.product]))

    premiums = [price(risk, terms_of(risk.product, limit, retention)).premium for limit in LIMITS]

    assert premiums == sorted(set(premiums))


@searched
@given(risks, st.sampled_from(LIMITS))
def test_more_retention_never_costs_more(risk: Risk, limit: int) -> None:
    premiums = [
        price(risk, terms_of(risk.product, limit, retention)).premium
        for retention in RETENTIONS[risk.product]
    ]

    assert premiums == sorted(premiums, reverse=True)


@searched
@given(risks, st.integers(0, 10**11), st.integers(0, 10**11), st.data())
def test_revenue_never_lowers_the_premium_while_the_terms_stay(
    risk: Risk, one_revenue: int, other_revenue: int, data: st.DataObject
) -> None:
    low, high = sorted((one_revenue, other_revenue))
    terms = random_terms(risk, data.draw(st.randoms(use_true_random=False)))

    smaller = price(replace(risk, revenue=low), terms)
    larger = price(replace(risk, revenue=high), terms)

    assert smaller.amount <= larger.amount
    assert smaller.premium <= larger.premium


@searched
@given(risks, st.integers(100_000, 6 * 10**9))
def test_one_more_dollar_of_revenue_never_lowers_the_premium(risk: Risk, revenue: int) -> None:
    before = price(replace(risk, revenue=revenue)).amount

    assert before <= price(replace(risk, revenue=revenue + 1)).amount


@searched
@given(risks, st.data())
def test_the_same_input_gives_the_same_worksheet(risk: Risk, data: st.DataObject) -> None:
    terms = random_terms(risk, data.draw(st.randoms(use_true_random=False)))
    again = replace(risk, answers=Answers(dict(reversed(list(risk.answers.values.items())))))

    assert price(risk, terms) == price(again, terms)
    assert price(risk, terms).tariff_fingerprint == TARIFF.fingerprint


@searched
@given(risks, hazard_groups, st.randoms(use_true_random=False), st.integers(0, 15))
def test_options_priced_together_cost_what_each_costs_alone(
    risk: Risk, hazard_group: int, rng: random.Random, count: int
) -> None:
    options = [random_terms(risk, rng) for _ in range(count)]

    together = rate_options(TARIFF, risk, options, hazard_group=hazard_group)

    assert together == tuple(price(risk, terms, hazard_group=hazard_group) for terms in options)


@searched
@given(risks, st.data())
def test_a_per_claim_limit_below_the_aggregate_never_costs_more(risk: Risk, data: st.DataObject) -> None:
    limit = data.draw(st.sampled_from(LIMITS))
    smaller = data.draw(st.sampled_from([value for value in LIMITS if value <= limit]))

    split = price(risk, terms_of(risk.product, limit, per_claim_limit=smaller)).premium

    assert split <= price(risk, terms_of(risk.product, limit)).premium
