import json
import random
from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import msgspec
import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import AnswerValue
from bindery.domain.rating.worksheet import multiplies_out, worksheet_from_plain, worksheet_to_plain
from domain.rating.ladders import random_risk, random_terms
from domain.rating.rating_cases import CYB, MPL, TARIFF, TEO, price, risk_of, terms_of

CLAMPS = {
    "Security controls": (Decimal("0.70"), Decimal("1.75")),
    "Contracts and practice": (Decimal("0.75"), Decimal("1.60")),
    "Practice and claims": (Decimal("0.75"), Decimal("1.75")),
}


def multiplied(factors: Iterable[Decimal]) -> Decimal:
    product = Decimal(1)
    for factor in factors:
        product *= factor
    return product


@pytest.mark.parametrize("risks", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_random_worksheets_multiply_exactly_to_their_premium(risks: int) -> None:
    rng = random.Random(20261)
    minimums = held = 0

    for _ in range(risks):
        risk = random_risk(rng)
        worksheet = price(risk, random_terms(risk, rng), hazard_group=rng.randint(1, 6))

        with localcontext() as wide:
            wide.prec = 400
            total = Decimal(0)
            for part in worksheet.parts:
                running = Decimal(1)
                for step in part.steps:
                    running *= step.factor
                    assert running == step.running
                    if step.components:
                        product = multiplied(component.value for component in step.components)
                        floor, cap = CLAMPS.get(step.label, (product, product))
                        assert step.factor == min(max(product, floor), cap)
                        held += step.factor != product
                total += running
        assert worksheet.amount == total
        assert worksheet.premium == max(total.quantize(Decimal(1), ROUND_HALF_UP), worksheet.minimum)
        minimums += worksheet.minimum_applied

    assert minimums > risks / 100
    assert held > risks / 100


def test_the_digits_of_a_premium_do_not_depend_on_the_callers_precision() -> None:
    risk = risk_of(TEO, {"2300": True, "2248": False}, revenue=3_712_345, state="CA", scan_score=85)
    usual = price(risk)

    with localcontext() as narrow:
        narrow.prec = 12
        assert price(replace(risk, revenue=3_712_346)) != usual
        assert price(risk) == usual


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_a_worksheet_survives_the_way_through_json(product: InsuranceProduct) -> None:
    worksheet = price(risk_of(product, {"2300": True, "2405": "Never"}, revenue=777_777, scan_score=55))

    plain = worksheet_to_plain(worksheet)

    assert worksheet_from_plain(json.loads(json.dumps(plain))) == worksheet
    assert worksheet_to_plain(worksheet_from_plain(plain)) == plain


def test_the_plain_form_reads_like_this() -> None:
    risk = risk_of(CYB, {"2300": False}, revenue=2_500_000)

    plain: Any = worksheet_to_plain(price(risk, terms_of(CYB, 100_000)))

    assert plain["product"] == "CYB"
    assert plain["tariff_edition"] == "2026.1"
    assert plain["tariff_fingerprint"] == TARIFF.fingerprint
    assert (plain["amount"], plain["minimum"], plain["minimum_applied"]) == ("723.35000000", 350, False)
    assert (plain["premium"], plain["terrorism"]) == (723, "7.23")
    (part,) = plain["parts"]
    assert (part["title"], part["terrorism_share"], part["amount"]) == ("Cyber", "0.01", "723.35000000")
    assert [step["label"] for step in part["steps"]] == [
        "Base premium",
        "Hazard",
        "Limit",
        "Retention",
        "Security controls",
        "Records held",
        "Events and claims",
        "Scan",
        "State",
        "Term",
    ]
    assert part["steps"][0] == {
        "label": "Base premium",
        "reason": "Revenue of $2,500,000",
        "factor": "1850.0000",
        "running": "1850.0000",
        "components": (),
    }
    assert part["steps"][4] == {
        "label": "Security controls",
        "reason": "As answered",
        "factor": "1.15",
        "running": "723.35000000",
        "components": ({"label": "MFA on e-mail", "reason": "No", "factor": "1.15"},),
    }


def test_a_worksheet_says_when_its_numbers_were_tampered_with() -> None:
    worksheet = price(risk_of(TEO, {"2300": True}))
    part = worksheet.parts[1]
    wrong_step = msgspec.structs.replace(part.steps[2], running=part.steps[2].running + 1)
    wrong_part = msgspec.structs.replace(part, steps=(*part.steps[:2], wrong_step, *part.steps[3:]))

    assert multiplies_out(worksheet)
    assert not multiplies_out(msgspec.structs.replace(worksheet, premium=worksheet.premium + 1))
    assert not multiplies_out(msgspec.structs.replace(worksheet, parts=(worksheet.parts[0], wrong_part)))


def test_technology_adds_its_two_parts_before_the_one_rounding() -> None:
    worksheet = price(risk_of(TEO))

    cyber, technology = worksheet.parts
    assert (cyber.title, technology.title) == ("Cyber", "Technology E&O")
    assert cyber.steps[-1].label == "Shared aggregate"
    assert (cyber.amount, technology.amount) == (Decimal(1377), Decimal(1800))
    assert worksheet.premium == 3_177


@pytest.mark.parametrize(
    ("product", "revenue", "limit", "premium", "terrorism"),
    [
        (CYB, 1_000_000, 1_000_000, 1_350, "13.50"),
        (CYB, 5_000_000, 100_000, 867, "8.67"),
        (CYB, 100_000, 10_000_000, 3_400, "34.00"),  # the minimum premium
        (TEO, 1_000_000, 1_000_000, 3_177, "13.77"),  # 1% of the cyber part, 1,377
        (TEO, 100_000, 10_000_000, 7_000, "30.93"),  # the cyber part's share of the minimum premium
        (MPL, 1_000_000, 1_000_000, 1_400, "0.00"),
    ],
)
def test_terrorism_is_a_part_of_the_cyber_premium(
    product: InsuranceProduct, revenue: int, limit: int, premium: int, terrorism: str
) -> None:
    worksheet = price(risk_of(product, revenue=revenue), terms_of(product, limit))

    assert worksheet.premium == premium
    assert str(worksheet.terrorism) == terrorism


def test_the_terrorism_portion_follows_a_premium_that_a_person_set() -> None:
    assert price(risk_of(CYB)).terrorism_within(2_000) == Decimal("20.00")
    assert price(risk_of(TEO)).terrorism_within(6_354) == Decimal("27.54")
    assert price(risk_of(MPL)).terrorism_within(2_000) == 0


@pytest.mark.parametrize(
    ("answers", "amount", "premium", "applied"),
    [
        ({"2315": "No"}, "705.6", 706, False),
        ({"2302": ("Proofpoint",)}, "698.4", 700, True),
        ({"2304": ("Cybereason",)}, "684", 700, True),
    ],
)
def test_the_minimum_premium_takes_over_only_below_itself(
    answers: dict[str, AnswerValue], amount: str, premium: int, applied: bool
) -> None:
    worksheet = price(risk_of(CYB, answers, revenue=100_000))

    assert worksheet.minimum == 700
    assert worksheet.amount == Decimal(amount)
    assert worksheet.premium == premium
    assert worksheet.minimum_applied is applied


@pytest.mark.parametrize(
    ("revenue", "retention", "premium"), [(2_500_000, 10_000, 1_647), (2_500_000, 15_000, 1_573)]
)
def test_half_a_dollar_rounds_up(revenue: int, retention: int, premium: int) -> None:
    worksheet = price(risk_of(CYB, revenue=revenue), terms_of(CYB, retention=retention))

    assert worksheet.amount % 1 == Decimal("0.5")
    assert worksheet.premium == premium
