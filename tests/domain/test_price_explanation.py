"""The steps of a price in dollars add up to it, and what would lower it is worked out again."""

from dataclasses import replace

import pytest
from msgspec import structs

from bindery.domain.applicant.risk import Answers
from bindery.domain.quote.price_explanation import (
    BY_HAND,
    MINIMUM,
    BetterAnswer,
    Levers,
    levers_of,
    moves_of,
)
from bindery.domain.quote.price_levers import ClosedFindings, OtherRetention
from bindery.domain.rating.option import rate
from bindery.domain.rating.worksheet import Worksheet
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.case import Applicant
from bindery.domain.screening.rules import applicant_of
from domain.test_price_levers import TARIFF, finding, scan_of
from support.applicants import SUBMISSION, assessed


def weak(scan: ScanResult | None = None, *, revenue: int | None = None, mfa: bool = False) -> Applicant:
    """An applicant without MFA on e-mail, unless it is said to have it."""
    applicant = applicant_of(SUBMISSION, scan=scan)
    answers = Answers({**applicant.risk.answers.values, "2300": mfa})
    return replace(
        applicant,
        risk=replace(applicant.risk, answers=answers, revenue=revenue or applicant.risk.revenue),
    )


def worksheet_of(applicant: Applicant) -> Worksheet:
    terms = assessed(SUBMISSION).terms
    assert terms is not None
    return rate(TARIFF, applicant.risk, terms, hazard_group=applicant.industry.hazard_group)


@pytest.mark.parametrize("revenue", [100_000, 1_200_000, 7_777_777, 49_999_999])
@pytest.mark.parametrize("by_hand", [0, -311, 1])
def test_the_steps_add_up_to_the_premium_whoever_set_it(revenue: int, by_hand: int) -> None:
    worksheet = worksheet_of(weak(scan_of(finding("rdp", 30), score=51), revenue=revenue))
    premium = worksheet.premium + by_hand

    moves = moves_of(worksheet, premium)

    assert sum(move.dollars for move in moves) == premium
    assert ([move.dollars for move in moves if move.label == BY_HAND] or [0]) == [by_hand]
    assert [move.label for move in moves if move.is_base] == ["Base premium"]


def test_the_minimum_premium_is_a_step_of_its_own() -> None:
    worksheet = worksheet_of(weak(revenue=1, mfa=True))
    worksheet = structs.replace(worksheet, minimum=5_000, premium=5_000)

    moves = moves_of(worksheet, 5_000)

    (up,) = [move for move in moves if move.label == MINIMUM]
    assert up.dollars == 5_000 - sum(move.dollars for move in moves if move is not up)


def levers(scan: ScanResult | None) -> Levers:
    terms = assessed(SUBMISSION).terms
    assert terms is not None
    found = levers_of(weak(scan), terms, TARIFF, scan)
    assert found is not None
    return found


def test_one_lever_of_each_kind_is_worked_out_again() -> None:
    scan = scan_of(finding("rdp", 30), finding("database", 15), score=51)

    found = levers(scan)

    assert {type(each) for each in found.found} == {ClosedFindings, BetterAnswer, OtherRetention}
    (answer,) = [each for each in found.found if isinstance(each, BetterAnswer)]
    assert (answer.label, answer.answer) == ("MFA on e-mail", True)
    assert answer.premium == worksheet_of(weak(scan, mfa=True)).premium < found.rated
    assert [each.premium for each in found.found] == sorted(each.premium for each in found.found)


def test_without_a_scan_there_are_still_at_most_three_and_all_of_them_cheaper() -> None:
    found = levers(None)

    assert 1 <= len(found.found) <= 3
    assert all(each.premium < found.rated for each in found.found)
    assert not any(isinstance(each, ClosedFindings) for each in found.found)
