"""Questions that a broker asks a client by a link, and the answers."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus

import msgspec
from starlette.responses import RedirectResponse, Response

from bindery.actions.signing.keep_answers import keep_answers
from bindery.base.errors import InvalidRequest
from bindery.contract.questions import QuestionType
from bindery.domain.questions.question import QUESTIONS, QuestionText
from bindery.domain.questions.values import Unreadable, read_value
from bindery.domain.signing.client_link import ClientLink, LinkEnded, LinkPurpose
from bindery.web.client.link import address_of, by_link, client_of, client_page, find, form_token, token_of
from bindery.web.company.forms import FormProblem
from bindery.web.frame.visit import SEE_OTHER, Visit

FIELD = "questions."
Typed = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """A question with its field, what was typed there, and what is wrong with it."""

    question: QuestionText
    typed: tuple[str, ...]
    problem: str

    @property
    def field(self) -> str:
        return f"{FIELD}{self.question.id}"


async def questions_page(
    visit: Visit, link: ClientLink, typed: Typed | None = None, fault: str = ""
) -> Response:
    token, today = token_of(visit), await visit.runtime.database.today()
    asked = [_asked(question, typed) for question in questions_of(link, today)]
    wrong = [FormProblem(each.field, each.question.text, each.problem) for each in asked if each.problem]
    problems = wrong or ([FormProblem("", "", fault)] if fault else [])
    return client_page(
        visit,
        "client/answers.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK,
        address=address_of(token),
        form_token=form_token(token),
        link=link,
        asked=asked,
        problems=problems,
    )


def thanks(visit: Visit, link: ClientLink) -> Response:
    return client_page(visit, "client/answered.html", link=link)


@by_link
async def send_answers(visit: Visit) -> Response:
    """Keep the answers; what does not fit its question is said there, and nothing typed is lost."""
    link = await find(visit)
    if link.purpose is not LinkPurpose.ANSWERS:
        raise LinkEnded
    typed: Typed = {}
    for name, value in await visit.form_fields():
        if name.startswith(FIELD) and value:
            question_id = name.removeprefix(FIELD)
            typed[question_id] = (*typed.get(question_id, ()), value)
    questions = questions_of(link, await visit.runtime.database.today())
    given = [question for question in questions if question.id in typed]
    if not given:
        return await questions_page(visit, link, typed, "Please answer at least one question.")
    if any(_problem(question, typed[question.id]) for question in given):
        return await questions_page(visit, link, typed)
    answers = [{"id": question.id, "value": _value(question, typed[question.id])} for question in given]
    runtime = visit.runtime
    text = msgspec.json.encode(answers).decode()
    # Answered in another window meanwhile: what was kept first stays.
    with contextlib.suppress(InvalidRequest):
        await keep_answers(runtime.database, runtime.rules, token_of(visit), client_of(visit), text)
    return RedirectResponse(address_of(token_of(visit)), SEE_OTHER)


def questions_of(link: ClientLink, today: date) -> Sequence[QuestionText]:
    """Return the questions that are asked, as they are worded today; a question is worded once for all."""
    sets = tuple(QUESTIONS.in_force(today).sets.values())
    found = (next((known for each in sets if (known := each.find(asked))), None) for asked in link.asked)
    return [question for question in found if question is not None]


def _asked(question: QuestionText, typed: Typed | None) -> LinkQuestion:
    values = (typed or {}).get(question.id, ())
    return LinkQuestion(question, values, _problem(question, values) if values else "")


def _value(question: QuestionText, values: tuple[str, ...]) -> str | list[str]:
    return list(values) if question.type is QuestionType.MULTI_SELECT else values[-1]


def _problem(question: QuestionText, values: tuple[str, ...]) -> str:
    try:
        read_value(question, _value(question, values))
    except Unreadable as fault:
        return "; ".join(problem.message for problem in fault.problems)
    return ""
