"""The tariff prices what can be answered, letter for letter."""

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.answers import bare_id
from bindery.domain.questions import question_set
from bindery.domain.questions.question import Question
from bindery.domain.rating.modifiers import Choice, Classes, Flagged, ModifierGroup
from domain.rating.rating_cases import CYB, MPL, TARIFF, TEO

GROUPS = [
    (CYB, TARIFF.cyber.controls),
    (CYB, TARIFF.cyber.records),
    (CYB, TARIFF.cyber.claims),
    (TEO, TARIFF.errors_and_omissions.modifiers),
    (MPL, TARIFF.professional.modifiers),
]


def questions_of(product: InsuranceProduct) -> dict[str, Question]:
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
            assert set(row.options) == {
                option.text for option in questions[row.question].options if option.high_risk
            }


@pytest.mark.parametrize(
    ("product", "classes", "field"),
    [
        (TEO, TARIFF.errors_and_omissions.classes, "eo_class"),
        (MPL, TARIFF.professional.classes, "mpl_class"),
    ],
)
def test_the_classes_of_work_are_those_of_the_questions(
    product: InsuranceProduct, classes: Classes, field: str
) -> None:
    by_question = {
        bare_id(question.id): {option.text: str(getattr(option, field)) for option in question.options}
        for question in question_set(product, "2026.1").questions
        if any(getattr(option, field) is not None for option in question.options)
    }

    assert by_question == {question: dict(options) for question, options in classes.options.items()}
