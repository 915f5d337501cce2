import re
from collections.abc import Iterator
from typing import Final, assert_never

from bindery.contract.questions import QuestionType
from bindery.domain.questions.conditions import (
    Answered,
    AnswerIs,
    ChoseAnyOf,
    ChoseNoneOf,
    ConditionOnAnswer,
    conditions_on_answers,
)
from bindery.domain.questions.question import (
    CHOICES,
    MAX_OPTION_LENGTH,
    QuestionEdition,
    QuestionSet,
    QuestionText,
)
from bindery.domain.text import composed

_ID_SHAPE = re.compile(r"Q?[0-9]{4}")
_NUMBERS: Final = frozenset({QuestionType.NUMERIC, QuestionType.AMOUNT})
_FEWEST_OPTIONS: Final = 2


def check_questions(edition: QuestionEdition) -> list[str]:
    return [
        f"{questions.product} {fault}"
        for questions in edition.sets.values()
        for fault in _faults_of_set(questions)
    ]


def _faults_of_set(questions: QuestionSet) -> Iterator[str]:
    earlier: dict[str, QuestionText] = {}
    for question in questions:
        if question.bare_id in earlier:
            yield f"{question.id} is listed twice"
        for fault in _faults_of_question(question):
            yield f"{question.id} {fault}"
        for condition in conditions_on_answers(question.required_when):
            asked = earlier.get(condition.question)
            if asked is None:
                yield f"{question.id} depends on {condition.question}, which is not listed before it"
            else:
                for fault in _faults_of_condition(condition, asked):
                    yield f"{question.id} depends on {asked.id}, {fault}"
        earlier[question.bare_id] = question


def _faults_of_question(question: QuestionText) -> Iterator[str]:
    if not _ID_SHAPE.fullmatch(question.id):
        yield "has an id that is not four digits with or without a Q"
    if not question.text.strip():
        yield "has no text"
    if not question.section.strip():
        yield "has no section"
    if question.minimum is not None and question.type not in _NUMBERS:
        yield "has a smallest number but is not a number"
    if question.type in CHOICES:
        yield from _faults_of_options(question)
    elif question.options:
        yield "has options but is not a choice"


def _faults_of_options(question: QuestionText) -> Iterator[str]:
    options = question.options
    if len(options) < _FEWEST_OPTIONS:
        yield "is a choice with fewer than two options"
    if len({option.text for option in options}) < len(options):
        yield "lists an option twice"
    for option in options:
        if option.text != composed(option.text).strip() or not 1 <= len(option.text) <= MAX_OPTION_LENGTH:
            yield f"has the option {option.text!r}, which no answer can match"
    if question.exclusive_options:
        if question.type is not QuestionType.MULTI_SELECT:
            yield "has exclusive options but takes only one anyway"
        elif len(question.exclusive_options) == len(options):
            yield "has nothing but exclusive options"
    # A condition that looks at the kind of one option of a question looks at all of them.
    without = [option.text for option in options if option.kind is None]
    if 0 < len(without) < len(options):
        yield f"has options without kind: {', '.join(without)}"


def _faults_of_condition(condition: ConditionOnAnswer, asked: QuestionText) -> Iterator[str]:
    match condition:
        case AnswerIs(value=value):
            if isinstance(value, bool):
                if asked.type is not QuestionType.BOOLEAN:
                    yield "which is not answered with true or false"
            elif asked.type is not QuestionType.SINGLE_SELECT:
                yield "which is not a single choice"
            elif value not in asked.places:
                yield f"which has no option {value!r}"
        case ChoseAnyOf(options=options) | ChoseNoneOf(options=options):
            if asked.type not in CHOICES:
                yield "which is not a choice"
            elif not options:
                yield "but on none of its options"
            else:
                yield from (f"which has no option {text!r}" for text in options if text not in asked.places)
        case Answered():
            return
        case _:
            assert_never(condition)
