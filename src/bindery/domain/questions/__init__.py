from bindery.domain.questions.check import check_questions
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.describe import describe_questions
from bindery.domain.questions.question import (
    QUESTIONS,
    Option,
    ProductKind,
    QuestionEdition,
    QuestionSet,
    QuestionText,
    question_set,
    read_edition,
)
from bindery.domain.questions.sheet import AnswerSheet, read_answers
from bindery.domain.questions.values import AnswerProblem, RawValue

__all__ = [
    "QUESTIONS",
    "AnswerProblem",
    "AnswerSheet",
    "Option",
    "ProductKind",
    "QuestionContext",
    "QuestionEdition",
    "QuestionSet",
    "QuestionText",
    "RawValue",
    "check_questions",
    "describe_questions",
    "question_set",
    "read_answers",
    "read_edition",
]
