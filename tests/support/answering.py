"""Answers to a product's questions, made up by chance."""

from random import Random

from bindery.contract.questions import QuestionType
from bindery.domain.questions.question import QuestionSet, QuestionText
from bindery.domain.questions.values import RawValue


def made_up(  # noqa: PLR0911 - one return for each type of question
    question: QuestionText, chance: Random
) -> RawValue:
    texts = [option.text for option in question.options]
    match question.type:
        case QuestionType.BOOLEAN:
            return chance.choice([True, False])
        case QuestionType.SINGLE_SELECT:
            return chance.choice(texts)
        case QuestionType.MULTI_SELECT:
            alone = list(question.exclusive_options)
            if alone and chance.random() < 0.3:
                return [chance.choice(alone)]
            others = [text for text in texts if text not in alone]
            return chance.sample(others, chance.randint(1, min(3, len(others))))
        case QuestionType.NUMERIC | QuestionType.AMOUNT:
            return (question.minimum or 0) + chance.randint(0, 40)
        case QuestionType.DATE:
            return "2019-05-01"
        case QuestionType.FREE_TEXT:
            return "As told."


def all_made_up(questions: QuestionSet, chance: Random) -> dict[str, RawValue]:
    """Return an answer to every question, asked or not."""
    return {question.id: made_up(question, chance) for question in questions}
