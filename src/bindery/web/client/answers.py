"""Questions that a broker asks a client by a link, and the answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.responses import RedirectResponse, Response

from bindery.actions.signing.keep_answers import keep_answers
from bindery.base.errors import InvalidRequest
from bindery.contract.questions import QuestionType
from bindery.domain.drafts.client_answers import written_answers
from bindery.domain.drafts.draft_applicant import DraftApplicant, read_applicant
from bindery.domain.drafts.fields import QUESTION, Fields, body_of, fields_of, typed
from bindery.domain.questions.question import QuestionText
from bindery.domain.questions.values import Unreadable, read_value
from bindery.domain.signing.client_link import ClientLink, LinkEnded, LinkPurpose
from bindery.storage.quote import quotes
from bindery.storage.submission import drafts, submissions
from bindery.web.client.link import (
    address_of,
    by_link,
    client_of,
    client_page,
    find,
    form_token,
    no_page,
    token_of,
    typed_by_client,
)
from bindery.web.company.forms import FormProblem
from bindery.web.draft.questions_shown import ShownQuestion, ShownSection, shown_part
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.shown.words import counted

ON_PAGE: Final = "on_page"
"""The field that has the questions that the page showed, opened or not."""
AT_LEAST_ONE: Final = "Please answer at least one question."
ANSWERED_BEFORE: Final = (
    "These questions were answered before, and your broker has those answers. "
    "What you typed now was not sent: write it to your broker."
)
NOT_NEEDED: Final = "Nothing is left to answer"
GONE_ON: Final = "Your broker does not need these answers any more. Thank you."


@dataclass(frozen=True, slots=True)
class LinkQuestions:
    """A link with the request that its questions belong to, as far as that is filled in."""

    link: ClientLink
    fields: Fields
    today: date

    @property
    def insured(self) -> str:
        return typed(self.fields, "client.name")

    def with_answers(self, answers: Fields) -> "AskedPage":
        """Return the page of the questions with what was typed there, and what the draft has."""
        applicant = read_applicant(body_of({**self.fields, **answers}, self.today), self.today)
        return AskedPage(applicant, answers, shown_part(applicant, answers, self.link.asked))


@dataclass(frozen=True, slots=True)
class AskedPage:
    applicant: DraftApplicant
    typed: Fields
    sections: tuple[ShownSection, ...]

    @property
    def questions(self) -> Sequence[ShownQuestion]:
        return [each for section in self.sections for top in section.asked for each in top]

    @property
    def counting(self) -> Sequence[QuestionText]:
        """Return the questions of the page that the answers ask for; others are folded away."""
        known = (self.applicant.questions.by_spelling[question.id] for question in self.questions)
        return [question for question in known if question.bare_id in self.applicant.required]

    @property
    def given(self) -> dict[str, tuple[str, ...]]:
        """Return the answers that count, by question."""
        names = (question.id for question in self.counting)
        return {name: self.typed[QUESTION + name] for name in names if QUESTION + name in self.typed}

    @property
    def problems(self) -> dict[str, str]:
        found = {
            QUESTION + question.id: _flaw(question, self.given[question.id])
            for question in self.counting
            if question.id in self.given
        }
        return {name: flaw for name, flaw in found.items() if flaw}

    def not_seen(self, shown: Sequence[str]) -> Sequence[QuestionText]:
        """Return the questions that the answers bring up and the page did not have."""
        return [question for question in self.counting if question.id not in shown]


async def questions_page(
    visit: Visit, link: ClientLink, answers: Fields | None = None, *, fault: str = "", news: str = ""
) -> Response:
    asking = await _read(visit, link)
    asked = asking.with_answers(answers or {})
    if not asked.sections:
        return no_page(
            visit, HTTPStatus.OK, NOT_NEEDED, GONE_ON, await typed_by_client(visit) if answers else ()
        )
    token, texts = token_of(visit), {question.name: question.text for question in asked.questions}
    flaws = {} if news else asked.problems
    wrong = [FormProblem(name, texts[name], flaw) for name, flaw in flaws.items()]
    problems = wrong or ([FormProblem("", "", fault)] if fault else [])
    return client_page(
        visit,
        "client/answers.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK,
        address=address_of(token),
        form_token=form_token(token),
        link=link,
        insured=asking.insured,
        sections=asked.sections,
        on_page=" ".join(question.id for question in asked.questions),
        problems=problems,
        flaws=flaws,
        news=news,
    )


def thanks(visit: Visit, link: ClientLink) -> Response:
    return client_page(visit, "client/answered.html", link=link)


@by_link
async def send_answers(visit: Visit) -> Response:
    """Keep the answers; what does not fit its question is said there, and nothing typed is lost."""
    link = await find(visit)
    if link.purpose is not LinkPurpose.ANSWERS:
        raise LinkEnded
    answers: dict[str, tuple[str, ...]] = {}
    for name, value in await visit.form_fields():
        if name.startswith(QUESTION) and value:
            answers[name] = (*answers.get(name, ()), value)
    asked = (await _read(visit, link)).with_answers(answers)
    if not asked.given:
        return await questions_page(visit, link, answers, fault=AT_LEAST_ONE)
    if asked.problems:
        return await questions_page(visit, link, answers)
    if opened := asked.not_seen((await visit.form()).get(ON_PAGE, "").split()):
        news = f"Your answers bring up {counted(len(opened), 'more question')}."
        return await questions_page(visit, link, answers, news=news)
    several = {question.id for question in asked.counting if question.type is QuestionType.MULTI_SELECT}
    runtime, text = visit.runtime, written_answers(asked.given, several)
    try:
        await keep_answers(runtime.database, runtime.rules, token_of(visit), client_of(visit), text)
    except InvalidRequest:
        # What was kept first stays; the same answers once more are a second click.
        kept = (await find(visit)).answers
        if kept is None or msgspec.json.decode(kept) != msgspec.json.decode(text):
            return await questions_page(visit, link, answers, fault=ANSWERED_BEFORE)
    return RedirectResponse(address_of(token_of(visit)), SEE_OTHER)


async def _read(visit: Visit, link: ClientLink) -> LinkQuestions:
    async with visit.runtime.database.reading() as tx:
        if link.draft_id is None:
            quote = await quotes.get(tx, link.subject)
            request = (await submissions.get(tx, quote.submission_id)).body
            return LinkQuestions(link, fields_of(msgspec.json.decode(request), tx.today), tx.today)
        draft = await drafts.find(tx, link.draft_id, partner_id=link.partner_id)
    if draft is None:
        raise LinkEnded
    return LinkQuestions(link, draft.fields, tx.today)


def _flaw(question: QuestionText, values: tuple[str, ...]) -> str:
    is_several = question.type is QuestionType.MULTI_SELECT
    try:
        read_value(question, list(values) if is_several else values[-1])
    except Unreadable as fault:
        return "; ".join(problem.message for problem in fault.problems)
    return ""
