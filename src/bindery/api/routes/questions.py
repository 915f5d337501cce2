import re
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.api.call import Call
from bindery.api.query import Query
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.base.nearest import nearest
from bindery.contract.quotes import MAX_QUESTIONS, MAX_REVENUE
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.describe import describe_questions
from bindery.domain.questions.question import QUESTIONS, QuestionSet
from bindery.domain.questions.sheet import read_answers
from bindery.domain.questions.values import AnswerProblem
from bindery.domain.submission.checks import DEFAULT_TERM
from bindery.domain.text import listed
from bindery.http.representation import REVALIDATE

ANSWER: Final = "answer."
_PLACE: Final = re.compile(r"questions\[([0-9]+)\]\.(id|value)")


def product_of(call: Call) -> InsuranceProduct:
    name: str = call.request.path_params["product"]
    try:
        return InsuranceProduct(name)
    except ValueError:
        meant = nearest(name, list(InsuranceProduct))
        hint = f"did you mean {meant}?" if meant else f"the products are {listed(InsuranceProduct)}."
        raise NotFound(f"There is no product {name}; {hint}") from None


async def get_questions(call: Call) -> Response:
    product = product_of(call)
    today = await call.runtime.database.today()
    questions = QUESTIONS.in_force(today).sets[product]
    shown = describe_questions(questions)
    answers = _given(call)
    query = Query(call)
    revenue = query.number("revenue", unless_given=1, most=MAX_REVENUE)
    query.check()
    if answers or "revenue" in query.given:
        circumstances = QuestionContext(revenue, Term(effective=today, expiration=today + DEFAULT_TERM))
        missing = _missing(questions, answers, circumstances)
        shown = msgspec.structs.replace(shown, missing=missing)
    return call.json_with_etag(shown, cache=REVALIDATE)


def _given(call: Call) -> dict[str, str | list[str]]:
    query = call.request.query_params
    names = list(dict.fromkeys(name for name in query.keys() if name.startswith(ANSWER)))  # noqa: SIM118 - repeated
    if len(names) > MAX_QUESTIONS:
        flaw = f"must not be more than {MAX_QUESTIONS}"
        raise InvalidRequest.at(ANSWER, "too_many_items", flaw)
    values = {name.removeprefix(ANSWER): query.getlist(name) for name in names}
    return {name: value[0] if len(value) == 1 else value for name, value in values.items()}


def _missing(
    questions: QuestionSet, answers: dict[str, str | list[str]], circumstances: QuestionContext
) -> list[str]:
    sheet = read_answers(questions, list(answers.items()), circumstances)
    wrong = [problem for problem in sheet.problems if problem.code != AnswerProblem.MISSING_ANSWER]
    if wrong:
        names = [f"{ANSWER}{name}" for name in answers]
        raise InvalidRequest.because(
            Problem(
                _PLACE.sub(lambda place: names[int(place[1])], problem.path), problem.code, problem.message
            )
            for problem in wrong
        )
    return list(sheet.missing)
