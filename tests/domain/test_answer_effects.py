"""What each answer did to a case."""

from dataclasses import replace

from bindery.base.numbers import to_whole_dollars
from bindery.domain.applicant.risk import Answers, AnswerValue, Terms
from bindery.domain.quote.answer_effects import answer_effects
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.screening.rules import applicant_of
from support.applicants import SUBMISSION

TARIFF = TARIFFS.named("2026.1")
TERMS = Terms(1_000_000, 1_000_000, 10_000, None)


def with_answers(**answers: bool) -> Answers:
    return Answers({name.removeprefix("Q"): value for name, value in answers.items()})


def test_what_raised_a_reason_comes_first_and_says_which() -> None:
    submission = replace(SUBMISSION, answers=with_answers(Q2142=True, Q2301=False, Q2300=False))

    effects = answer_effects(applicant_of(submission), TARIFF, TERMS)

    assert [effect.question for effect in effects if effect.reasons] == ["2301", "2300"]
    assert all("no_mfa_anywhere" in effect.reasons for effect in effects[:2])
    assert effects[2].question == "2142"


def test_the_effect_is_what_the_premium_would_be_less_without_the_answer() -> None:
    applicant = applicant_of(replace(SUBMISSION, answers=with_answers(Q2301=False)))
    without = applicant_of(replace(SUBMISSION, answers=with_answers()))

    (effect,) = answer_effects(applicant, TARIFF, TERMS)

    group = applicant.industry.hazard_group
    rated = rate(TARIFF, applicant.risk, TERMS, hazard_group=group)
    plain = rate(TARIFF, without.risk, TERMS, hazard_group=group)
    assert effect.dollars == round(rated.amount) - round(plain.amount) > 0


def test_the_effect_of_each_answer_is_what_rating_everything_again_gives() -> None:
    answers: dict[str, AnswerValue] = {"2301": False, "2300": True, "2142": True, "not_asked": 3}
    risk = applicant_of(replace(SUBMISSION, answers=Answers(answers))).risk
    applicant = replace(applicant_of(SUBMISSION), risk=risk)

    effects = {effect.question: effect.dollars for effect in answer_effects(applicant, TARIFF, TERMS)}

    def rated(left_out: str = "") -> int:
        kept = Answers({name: value for name, value in answers.items() if name != left_out})
        sheet = rate(TARIFF, replace(risk, answers=kept), TERMS, hazard_group=applicant.industry.hazard_group)
        return to_whole_dollars(sheet.amount)

    assert effects == {question: rated() - rated(question) for question in answers}
    assert sum(dollars != 0 for dollars in effects.values()) > 1


def test_without_a_price_only_reasons_are_known() -> None:
    applicant = applicant_of(replace(SUBMISSION, answers=with_answers(Q2301=False, Q2300=False)))

    assert {effect.dollars for effect in answer_effects(applicant, None, None)} == {0}


def test_terms_that_the_tariff_has_no_price_for_leave_the_reasons() -> None:
    applicant = applicant_of(replace(SUBMISSION, answers=with_answers(Q2301=False, Q2300=False)))

    effects = answer_effects(applicant, TARIFF, replace(TERMS, aggregate_retention=3))

    assert [(effect.question, effect.dollars) for effect in effects] == [("2301", 0), ("2300", 0)]
    assert all("no_mfa_anywhere" in effect.reasons for effect in effects)
