"""What a form shows is what the rules ask, for all three sets of questions and answers made up by chance."""

from collections.abc import Iterable, Mapping
from datetime import date
from random import Random

import pytest

from bindery.contract.questions import QuestionType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term, bare_id
from bindery.domain.questions.conditions import (
    All,
    Always,
    AnswerIs,
    ChoseNoneOf,
    Condition,
    Either,
    Facts,
    QuestionContext,
    RevenueAtLeast,
)
from bindery.domain.questions.layout import (
    ANY_TEXT,
    AskedQuestion,
    FollowUps,
    Section,
    lay_out,
    unsettled_questions,
)
from bindery.domain.questions.question import Option, QuestionSet, QuestionText, question_set
from bindery.domain.questions.sheet import read_answers
from bindery.domain.questions.values import RawValue
from support.answering import all_made_up

CYB, TEO, MPL = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL
EFFECTIVE, EXPIRATION = date(2026, 12, 1), date(2027, 12, 1)
SMALL, MEDIUM, LARGE = 900_000, 6_400_000, 30_000_000


def circumstances(revenue: int, retroactive: date | str | None = None) -> QuestionContext:
    return QuestionContext(revenue, Term(EFFECTIVE, EXPIRATION, retroactive))


def sent(value: RawValue | None) -> set[str]:
    """Return an answer as a form sends it."""
    if value is None or isinstance(value, list | tuple):
        return set(map(str, value or ()))
    return {"true" if value else "false"} if isinstance(value, bool) else {str(value)}


def shown(sections: Iterable[Section], answers: Mapping[str, RawValue]) -> set[str]:
    """Return what a reader sees who gave these answers."""
    given = {bare_id(name): sent(value) for name, value in answers.items()}

    def opens(group: FollowUps) -> bool:
        return any(
            given.get(name, set()) & values or (ANY_TEXT in values and given.get(name))
            for name, values in group.opened_by.items()
        )

    def seen(asked: AskedQuestion) -> Iterable[str]:
        yield asked.question.id
        for group in asked.follow_ups:
            if opens(group):
                for below in group.asked:
                    yield from seen(below)

    return {name for section in sections for asked in section.asked for name in seen(asked)}


def required(questions: QuestionSet, answers: Mapping[str, RawValue], context: QuestionContext) -> set[str]:
    sheet = read_answers(questions, list(answers.items()), context)
    answered = {question.id for question in questions if question.bare_id in sheet.counting.values}
    return answered | set(sheet.missing)


@pytest.mark.parametrize("retroactive", [None, date(2020, 1, 1), FULL_PRIOR_ACTS])
@pytest.mark.parametrize("revenue", [SMALL, MEDIUM, LARGE])
@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_a_form_shows_the_questions_that_are_required_and_no_others(
    product: InsuranceProduct, revenue: int, retroactive: date | str | None
) -> None:
    questions, context = question_set(product, "2026.1"), circumstances(revenue, retroactive)
    sections = lay_out(questions, context)

    listed = [question.id for section in sections for question in section]
    assert len(listed) == len(set(listed))
    chance = Random(f"{product} {revenue}")
    for _ in range(60):
        answers = all_made_up(questions, chance)
        some = {name: value for name, value in answers.items() if chance.random() < 0.8}
        assert shown(sections, some) == required(questions, some, context)


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_every_follow_up_of_the_sets_is_opened_by_answers_alone(product: InsuranceProduct) -> None:
    sections = lay_out(question_set(product, "2026.1"), circumstances(LARGE, FULL_PRIOR_ACTS))

    def groups(asked: AskedQuestion) -> Iterable[FollowUps]:
        for group in asked.follow_ups:
            yield group
            for below in group.asked:
                yield from groups(below)

    found = [group for section in sections for asked in section.asked for group in groups(asked)]
    assert found
    assert all(group.opened_by for group in found)


def test_sections_come_in_the_order_of_the_set_with_follow_ups_under_their_cause() -> None:
    sections = lay_out(question_set(CYB, "2026.1"), circumstances(MEDIUM))

    assert [section.title for section in sections] == [
        "Business",
        "Data and backups",
        "Access",
        "Protection",
        "Events and claims",
    ]
    backups = sections[1].asked[1]
    assert backups.question.id == "Q2142"
    (stored,) = backups.follow_ups
    assert stored.opened_by == {"2142": frozenset({"true"})}
    assert [asked.question.id for asked in stored.asked] == ["Q2311", "Q2313"]


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_a_follow_up_has_the_section_of_its_cause(product: InsuranceProduct) -> None:
    for section in lay_out(question_set(product, "2026.1"), circumstances(LARGE, FULL_PRIOR_ACTS)):
        assert {question.section for question in section} == {section.title}


def question(number: str, required_when: Condition, *options: str) -> QuestionText:
    return QuestionText(
        id=number,
        section="A",
        type=QuestionType.MULTI_SELECT if options else QuestionType.BOOLEAN,
        text="?",
        required_when=required_when,
        options=tuple(Option(text=text) for text in options),
    )


def of(*asked: QuestionText) -> QuestionSet:
    return QuestionSet("x", CYB, asked)


YES = AnswerIs("1001", value=True)


@pytest.mark.parametrize(
    "condition",
    [
        # Another option beside `b` closes it again, which no single answer tells.
        ChoseNoneOf("1002", ("b",)),
        # Both answers are needed, and neither question is under the other.
        All((YES, AnswerIs("1003", value=True))),
        Either((YES, All((AnswerIs("1003", value=True), AnswerIs("1004", value=True))))),
    ],
)
def test_what_single_answers_cannot_tell_is_left_to_an_evaluation(condition: Condition) -> None:
    asked = of(
        question("1001", Always()),
        question("1002", Always(), "a", "b"),
        question("1003", Always()),
        question("1004", Always()),
        question("1005", condition),
    )

    (section,) = lay_out(asked, circumstances(SMALL))

    (cause,) = [above for above in section.asked if above.follow_ups]
    (group,) = cause.follow_ups
    assert group.opened_by == {}
    assert [below.question.id for below in group.asked] == ["1005"]


def test_a_question_that_looks_at_one_never_asked_is_left_out_or_stands_by_what_remains() -> None:
    from_a_million = RevenueAtLeast(1_000_000)
    asked = of(
        question("1001", from_a_million),
        question("1002", YES),
        question("1003", Either((YES, Always()))),
        question("1004", Either((YES, from_a_million))),
    )

    (section,) = lay_out(asked, circumstances(SMALL))

    assert [question.id for question in section] == ["1003"]


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_unsettled_questions_hold_everything_that_may_still_be_asked(product: InsuranceProduct) -> None:
    questions, context = question_set(product, "2026.1"), circumstances(LARGE, FULL_PRIOR_ACTS)
    chance = Random(product)
    for _ in range(60):
        answers = all_made_up(questions, chance)
        some = {name: value for name, value in answers.items() if chance.random() < 0.5}
        so_far = read_answers(questions, list(some.items()), context).counting.values
        unsettled = unsettled_questions(questions, Facts(so_far, context))

        asked_in_the_end = {bare_id(name) for name in required(questions, answers, context)}
        assert asked_in_the_end <= unsettled | so_far.keys()
        assert not unsettled & so_far.keys()
    nothing_left = read_answers(questions, list(answers.items()), context).counting.values
    assert unsettled_questions(questions, Facts(nothing_left, context)) == frozenset()
