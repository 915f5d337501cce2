"""The tariff prices what can be answered, letter for letter."""

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import bare_id
from bindery.domain.questions.question import QuestionText, question_set
from bindery.domain.rating.modifiers import Choice, Classes, Flagged, ModifierGroup
from domain.rating.rating_cases import CYB, MPL, TARIFF, TEO

GROUPS = [
    (CYB, TARIFF.cyber.controls),
    (CYB, TARIFF.cyber.records),
    (CYB, TARIFF.cyber.claims),
    (TEO, TARIFF.errors_and_omissions.modifiers),
    (MPL, TARIFF.professional.modifiers),
]


def questions_of(product: InsuranceProduct) -> dict[str, QuestionText]:
    return {bare_id(question.id): question for question in question_set(product, "2026.1").questions}


@pytest.mark.parametrize(("product", "group"), GROUPS, ids=lambda value: getattr(value, "label", value))
def test_every_option_of_a_rated_question_has_a_factor_and_no_other_text_has(
    product: InsuranceProduct, group: ModifierGroup
) -> None:
    questions = questions_of(product)

    for row in group.rows:
        options = {option.text for option in questions[row.question].options}
        if isinstance(row, Choice):
            assert set(row.options) <= options
            assert row.otherwise is not None or set(row.options) == options
        if isinstance(row, Flagged):
            assert set(row.options) <= options


@pytest.mark.parametrize(
    ("product", "classes"), [(TEO, TARIFF.errors_and_omissions.classes), (MPL, TARIFF.professional.classes)]
)
def test_every_option_of_a_question_about_work_has_a_class_and_no_other_text_has(
    product: InsuranceProduct, classes: Classes
) -> None:
    questions = questions_of(product)

    assert {question: set(options) for question, options in classes.options.items()} == {
        question: {option.text for option in questions[question].options} for question in classes.options
    }


def test_work_is_in_the_class_of_its_hazard() -> None:
    technology, professional = TARIFF.errors_and_omissions.classes, TARIFF.professional.classes

    assert sorted(technology.options) == ["2208", "2209", "2211", "2224", "2227"]
    assert technology.options["2209"]["Domain name services (DNS)"] == "D"
    assert technology.options["2211"]["None of the above"] == "B"
    assert sorted(professional.options) == ["2401"]
    assert professional.options["2401"]["Coaching or executive development"] == "1"
    assert professional.options["2401"]["Other"] == "4"


def test_the_vpn_products_that_cost_more_are_named() -> None:
    (flagged,) = [row for row in TARIFF.cyber.controls.rows if isinstance(row, Flagged)]

    assert flagged.question == "2316"
    assert sorted(flagged.options) == [
        "Cisco ASA or Firepower (AnyConnect / Secure Client)",
        "Citrix NetScaler Gateway",
        "Fortinet FortiGate SSL VPN",
        "Ivanti Connect Secure (Pulse Secure)",
        "SonicWall",
    ]
