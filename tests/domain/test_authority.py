"""Letters of authority: how far one person decides alone, and whom else to ask."""

from dataclasses import replace
from decimal import Decimal

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.authority import (
    Act,
    Authorities,
    AuthorityAsk,
    AuthorityLetter,
    Colleague,
    beyond_in_words,
    problems_of_letter,
    shortfalls,
)

P = InsuranceProduct
LETTER = AuthorityLetter(product=P.CYB, aggregate_limit=3_000_000, premium=20_000, deviation=15)
ASK = AuthorityAsk(
    act=Act.APPROVE, product=P.CYB, aggregate_limit=3_000_000, premium=20_000, deviation=Decimal(-15)
)


def exceeded(ask: AuthorityAsk, *letters: AuthorityLetter, is_required: bool = False) -> tuple[str, ...]:
    return shortfalls(letters, ask, is_required=is_required)


def test_the_bounds_of_a_letter_belong_to_it() -> None:
    assert exceeded(ASK, LETTER) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"aggregate_limit": 3_000_001}, "a limit of $3,000,001 is above $3,000,000"),
        ({"premium": 20_001}, "a premium of $20,001 is above $20,000"),
        ({"deviation": Decimal("-15.1")}, "a deviation of 15.1 % is above 15 %"),
        ({"deviation": Decimal("15.1")}, "a deviation of 15.1 % is above 15 %"),
        ({"is_by_hand": True}, "the letter of authority does not cover a premium set by hand"),
        ({"product": P.TEO}, "the letter of authority does not cover TEO"),
        ({"act": Act.CANCEL}, "the letter of authority does not cover canceling and reinstating"),
        ({"act": Act.REINSTATE}, "the letter of authority does not cover canceling and reinstating"),
    ],
)
def test_each_bound_is_said_with_both_figures(change: dict[str, object], said: str) -> None:
    assert exceeded(replace(ASK, **change), LETTER) == (said,)  # type: ignore[arg-type]


def test_all_that_is_beyond_is_said_at_once() -> None:
    beyond = replace(ASK, aggregate_limit=5_000_000, premium=40_000, deviation=Decimal(30))

    assert len(exceeded(beyond, LETTER)) == 3


def test_who_may_cancel_and_set_by_hand_does() -> None:
    letter = replace(LETTER, may_cancel=True, may_set_by_hand=True)

    assert exceeded(replace(ASK, act=Act.CANCEL), letter) == ()
    assert exceeded(replace(ASK, is_by_hand=True), letter) == ()


@pytest.mark.parametrize("act", [Act.REFUSE, Act.SETTLE])
def test_refusing_and_settling_papers_take_a_letter_of_any_size(act: Act) -> None:
    large = replace(ASK, act=act, aggregate_limit=10_000_000, premium=900_000)

    assert exceeded(large, LETTER) == ()
    assert exceeded(replace(large, product=P.MPL), LETTER) != ()


def test_without_a_letter_nobody_is_bounded_unless_letters_are_required() -> None:
    huge = replace(ASK, aggregate_limit=10_000_000, premium=900_000, deviation=Decimal(99))

    assert exceeded(huge) == ()
    assert exceeded(huge, is_required=True) == ("there is no letter of authority",)
    assert exceeded(replace(ASK, act=Act.REFUSE), is_required=True) == ("there is no letter of authority",)


UMA = Colleague(user_id=1, email="uma@example.com", name="Uma Reed", letters=(LETTER,))
ANN = Colleague(
    user_id=2, email="ann@example.com", name="Ann Lee", letters=(replace(LETTER, aggregate_limit=5_000_000),)
)
VIC = Colleague(user_id=3, email="vic@example.com", name="Vic Fox")
LARGE = replace(ASK, aggregate_limit=5_000_000)


def test_whom_to_ask_are_the_others_whose_letters_reach_far_enough() -> None:
    everybody = Authorities((UMA, ANN, VIC))

    assert everybody.who_may([LARGE], but=[UMA.user_id]) == (ANN, VIC)
    assert replace(everybody, is_required=True).who_may([LARGE], but=[UMA.user_id]) == (ANN,)
    assert replace(everybody, is_required=True).who_may([LARGE], but=[1, 2]) == ()
    assert everybody.of("UMA@example.com") is UMA
    assert everybody.of("tests") is None


def test_the_refusal_names_whom_to_ask() -> None:
    said = beyond_in_words(["a limit of $5,000,000 is above $3,000,000"], (ANN, VIC))

    assert said == (
        "This is beyond your authority: a limit of $5,000,000 is above $3,000,000. "
        "Ask Ann Lee (ann@example.com) or Vic Fox (vic@example.com)."
    )
    assert beyond_in_words(["x"], ()).endswith("Nobody else's reaches that far: ask an operator.")


@pytest.mark.parametrize(
    ("limit", "premium", "deviation", "paths"),
    [
        (0, 0, 0, []),
        (1_000_000_000, 1_000_000_000, 1_000, []),
        (-1, 1_000_000_001, 1_001, ["limit", "premium", "deviation"]),
    ],
)
def test_a_letter_is_checked_on_both_sides(
    limit: int, premium: int, deviation: int, paths: list[str]
) -> None:
    assert [problem.path for problem in problems_of_letter(limit, premium, deviation)] == paths
