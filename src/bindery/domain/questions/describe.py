from typing import assert_never

from msgspec import UNSET

from bindery.contract.questions import (
    QuestionBody,
    QuestionCondition,
    QuestionLimits,
    QuestionsResponse,
    QuestionType,
    RevenueBound,
)
from bindery.domain.questions.conditions import (
    All,
    Always,
    Answered,
    AnswerIs,
    ChoseAnyOf,
    ChoseNoneOf,
    Condition,
    Either,
    PriorActsAsked,
    RevenueAtLeast,
)
from bindery.domain.questions.question import MAX_NUMBER, MAX_TEXT_LENGTH, QuestionSet, QuestionText


def describe_questions(questions: QuestionSet) -> QuestionsResponse:
    return QuestionsResponse(
        edition=questions.edition,
        product=questions.product,
        questions=[_describe_question(question, questions) for question in questions],
    )


def _describe_question(question: QuestionText, questions: QuestionSet) -> QuestionBody:
    return QuestionBody(
        id=question.id,
        section=question.section,
        text=question.text,
        help=question.help,
        type=question.type,
        options=[option.text for option in question.options],
        exclusive_options=list(question.exclusive_options),
        required_when=_describe_condition(question.required_when, questions),
        limits=_describe_limits(question),
    )


def _describe_limits(question: QuestionText) -> QuestionLimits:
    minimum = UNSET if question.minimum is None else question.minimum
    match question.type:
        case QuestionType.FREE_TEXT:
            return QuestionLimits(min_length=1, max_length=MAX_TEXT_LENGTH)
        case QuestionType.NUMERIC | QuestionType.AMOUNT:
            return QuestionLimits(minimum=minimum, maximum=MAX_NUMBER)
        case (
            QuestionType.BOOLEAN | QuestionType.DATE | QuestionType.SINGLE_SELECT | QuestionType.MULTI_SELECT
        ):
            return QuestionLimits()
        case _:
            assert_never(question.type)


def _describe_condition(  # noqa: PLR0911 - one return for each form a condition has
    condition: Condition, questions: QuestionSet
) -> QuestionCondition:
    match condition:
        case Always():
            return QuestionCondition(always=True)
        case All(parts):
            return QuestionCondition(all=[_describe_condition(part, questions) for part in parts])
        case Either(parts):
            return QuestionCondition(any=[_describe_condition(part, questions) for part in parts])
        case RevenueAtLeast(bound):
            return QuestionCondition(revenue=RevenueBound(at_least=bound))
        case PriorActsAsked():
            return QuestionCondition(prior_acts_asked=True)
        case AnswerIs(question, value):
            return QuestionCondition(answer=_printed(question, questions), is_=value)
        case ChoseAnyOf(question, options):
            return QuestionCondition(answer=_printed(question, questions), any_of=list(options))
        case ChoseNoneOf(question, options):
            return QuestionCondition(answer=_printed(question, questions), none_of=list(options))
        case Answered(question):
            return QuestionCondition(answer=_printed(question, questions), answered=True)
        case _:
            assert_never(condition)


def _printed(bare_id: str, questions: QuestionSet) -> str:
    return questions.by_spelling[bare_id].id
