import uuid

from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.base.errors import NotFound, WrongState
from bindery.contract.event_details import QuoteQuestionAsked, QuoteQuestionClosed
from bindery.contract.quote import QuestionStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.question_mails import late_answer_mail, question_mail
from bindery.domain.quote.broker_question import BrokerQuestion, check_answer, check_question
from bindery.domain.quote.decisions import AskBroker
from bindery.domain.quote.lifecycle import AT_THE_DESK, Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.desk import broker_questions, desk


async def ask_broker(tx: Tx, rules: BusinessRules, quote: Quote, asked: AskBroker, *, actor: str) -> None:
    """Ask the broker about a case that is at the desk; its clock stands still until the answer comes.

    Raises:
        InvalidRequest: nothing is asked, or what waits for its answer already.
        WrongState: nothing of the case waits for an underwriter.
    """
    text = asked.text.strip()
    check_question(text, earlier=await broker_questions.of_submission(tx, quote.submission_id))
    find_move(quote.status, Trigger.ASK_BROKER)
    if not await desk.stop_clock(tx, quote.submission_id):
        said = "Nothing of this case waits for an underwriter: ask where something does."
        raise WrongState(said, status=quote.status, available_statuses=AT_THE_DESK)
    question = BrokerQuestion(
        question_id=tx.new_id(),
        submission_id=quote.submission_id,
        quote_id=quote.quote_id,
        partner_id=quote.partner_id,
        text=text,
        about=asked.about,
        asked_at=tx.now,
        asked_by=actor,
    )
    await broker_questions.add(tx, question)
    details = QuoteQuestionAsked(question_id=str(question.question_id), text=text, about=list(asked.about))
    quote = await advance_quote(tx, quote, Trigger.ASK_BROKER, actor=actor, said=details)
    facts = await gather_mail_facts(tx, rules, quote)
    await write_mails(tx, quote.quote_id, [question_mail(facts, question)])


async def answer_question(
    database: Database,
    rules: BusinessRules,
    question_id: uuid.UUID,
    text: str,
    document_id: uuid.UUID | None = None,
    *,
    partner_id: int,
    actor: str,
) -> BrokerQuestion:
    """Answer an underwriter's question; with the last open one the case is back at the desk.

    An answer to a case that was decided meanwhile is kept, and whoever asked gets a mail. Who comes second
    changes nothing, and gets the question as it was answered or withdrawn.

    Raises:
        NotFound: there is no such question of the partner.
        InvalidRequest: it is neither a text nor a file.
    """
    check_answer(text, has_file=document_id is not None)
    async with database.transaction() as tx:
        question = await _find(tx, question_id, partner_id=partner_id)
        quote = await lock_quote(tx, question.quote_id)
        is_first = await broker_questions.answer(
            tx, question_id, text.strip(), document_id, by=actor, at=tx.now
        )
        question = await _find(tx, question_id, partner_id=partner_id)
        if is_first:
            await _close(tx, quote, question, QuestionStatus.ANSWERED, actor=actor)
            if question.overtaken_at is not None:
                facts = await gather_mail_facts(tx, rules, quote)
                await write_mails(tx, quote.quote_id, [late_answer_mail(facts, question)])
    return question


async def go_on_unanswered(tx: Tx, quote: Quote, question_id: uuid.UUID | None, *, actor: str) -> None:
    """Withdraw an open question about a case, or all of them; what was answered meanwhile stays so."""
    for question in await broker_questions.of_submission(tx, quote.submission_id):
        if question_id in {None, question.question_id} and await broker_questions.withdraw(
            tx, question.question_id, at=tx.now
        ):
            quote = await _close(tx, quote, question, QuestionStatus.WITHDRAWN, actor=actor)


async def _find(tx: Tx, question_id: uuid.UUID, *, partner_id: int | None) -> BrokerQuestion:
    question = await broker_questions.find(tx, question_id, partner_id=partner_id)
    if question is None:
        raise NotFound("There is no such question.")
    return question


async def _close(
    tx: Tx, quote: Quote, question: BrokerQuestion, closed_as: QuestionStatus, *, actor: str
) -> Quote:
    document = question.document_id
    said = QuoteQuestionClosed(
        question_id=str(question.question_id),
        closed_as=closed_as,
        answer=question.answer,
        document_id=str(document) if document is not None else None,
    )
    moved = await advance_quote(tx, quote, Trigger.CLOSE_QUESTION, actor=actor, said=said)
    asked = await broker_questions.of_submission(tx, question.submission_id)
    if not any(other.is_open for other in asked):
        await desk.start_clock(tx, question.submission_id)
    return moved
