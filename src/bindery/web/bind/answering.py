"""A broker's answer to an underwriter's question, with a file if there is one."""

from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.actions.desk.ask_broker import answer_question
from bindery.base.errors import InvalidRequest, NotFound
from bindery.contract.quote import QuestionStatus
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.storage.desk import broker_questions
from bindery.storage.quote import quotes
from bindery.web.bind.bind_file import read_sent_form
from bindery.web.company.company import company_shown
from bindery.web.company.forms import problems_of, status_of
from bindery.web.company.unfit_file import CHOOSE_A_FILE, in_sentences
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.shown.owed import WARNING

KEPT_TOO: Final = "The case was decided before your answer came. It is kept, and the underwriter is told."


async def go_to_question(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        question = await broker_questions.find(tx, visit.path_id("question_id"), partner_id=visit.partner_id)
        if question is None:
            raise NotFound("There is no such question.")
        quote = await quotes.get(tx, question.quote_id)
    return RedirectResponse(f"/company/{quote.company_id}#question-{question.question_id}", SEE_OTHER)


async def send_answer(visit: Visit) -> Response:
    question_id = visit.path_id("question_id")
    async with visit.runtime.database.reading() as tx:
        question = await broker_questions.find(tx, question_id, partner_id=visit.partner_id)
        if question is None:
            raise NotFound("There is no such question.")
        quote = await quotes.get(tx, question.quote_id)
    company = f"/company/{quote.company_id}"
    if not question.takes_answer:
        return await visit.done(company, _closed(question))
    sent = await read_sent_form(visit, quote, file_is_optional=True)
    text = sent.fields.get("answer", "")
    if flaws := [problem for problem in sent.problems if problem != CHOOSE_A_FILE]:
        return await _again(visit, question, quote.company_id, text, in_sentences(flaws), sent.status)
    try:
        answered = await answer_question(
            visit.runtime.database,
            visit.runtime.rules,
            question_id,
            text,
            visit.as_id(sent.file.document_id) if sent.file is not None else None,
            partner_id=question.partner_id,
            actor=visit.actor,
        )
    except InvalidRequest as fault:
        said = tuple(problem.text for problem in problems_of(fault, {}))
        return await _again(visit, question, quote.company_id, text, said, status_of(fault))
    if answered.answered_by != visit.actor or answered.answer != text.strip():
        return await visit.done(company, _closed(answered))
    told = KEPT_TOO if answered.overtaken_at is not None else "The underwriter has your answer."
    return await visit.done(company, f"{told} {sent.said}".strip())


def _closed(question: BrokerQuestion) -> str:
    if question.status is QuestionStatus.WITHDRAWN:
        return f"{WARNING} Not sent: the underwriter goes on without an answer."
    return f"{WARNING} Not sent: {question.answered_by} answered already: {question.answer or 'a file'}"


async def _again(
    visit: Visit, question: BrokerQuestion, company_id: int, text: str, said: tuple[str, ...], status: int
) -> Response:
    return await company_shown(
        visit, company_id, problems=said, status=status, typed={str(question.question_id): text}
    )
