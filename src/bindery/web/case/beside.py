"""What is done on a case beside the decision, which comes along if it was begun: notes, papers, questions."""

from dataclasses import replace

from starlette.responses import Response

from bindery.actions.desk.take_case import write_note
from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import InvalidRequest, NotFound, Problem, WrongState
from bindery.contract.policy_ending import CancellationReason
from bindery.contract.vocabulary import ClosedAs
from bindery.domain.policy.contingencies import Closing
from bindery.domain.quote.authority import BeyondAuthority
from bindery.domain.quote.decisions import (
    AskBroker,
    CloseContingency,
    Decision,
    GoOnUnanswered,
    ReopenContingency,
)
from bindery.storage.policy import policies
from bindery.web.case.case import FRESH, WHY, show_case
from bindery.web.case.case_facts import read_case
from bindery.web.case.case_forms import DecisionForm, check_words, read_decision
from bindery.web.case.prices import current_number
from bindery.web.desk.queue_filter import case_address, to_option
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import assessment_of, shown_number


async def send_note(visit: Visit) -> Response:
    submission_id = visit.path_id("submission_id")
    await read_case(visit)
    note = (await visit.form()).get("note", "")
    try:
        await write_note(visit.runtime.database, submission_id, note, user_id=visit.user.user_id)
    except InvalidRequest as fault:
        return await show_case(visit, await read_decision(visit), fault=fault, noting=note)
    return await _go_on(visit, "The note is saved.")


async def send_question(visit: Visit) -> Response:
    facts = await read_case(visit)
    fields = await visit.form_fields()
    question = dict(fields).get("question", "")
    assessed = filter(None, (assessment_of(record.quote) for record in facts.seen))
    known = {reason["code"] for found in assessed for reason in found.reasons}
    about = tuple(value for name, value in fields if name == "about" and value in known)
    with_papers = {record.quote.quote_id for record in facts.seen if record.has_unsettled_papers}
    quotes = [record.quote for record in facts.seen]
    number = current_number(visit, quotes, with_papers)
    quote = next(quote for quote in quotes if shown_number(quote.option_number) == number)
    runtime = visit.runtime
    try:
        await take_decision(
            runtime.database, runtime.rules, quote.quote_id, AskBroker(question, about), actor=visit.actor
        )
    except (InvalidRequest, WrongState) as fault:
        return await show_case(visit, await read_decision(visit), fault=fault, asking=question)
    return await _go_on(visit, "The broker is asked. The case waits for the answer.")


async def send_going_on(visit: Visit) -> Response:
    """Withdraw a question: the underwriter goes on without its answer."""
    question_id = visit.as_id((await visit.form()).get("question_id", ""))
    facts = await read_case(visit)
    asked = {question.question_id: question for record in facts.seen for question in record.questions}
    question = asked.get(question_id) if question_id is not None else None
    if question is None or not question.is_open:
        return await _go_on(visit, "That question is not open any more.")
    quote_id, runtime = facts.seen[0].quote.quote_id, visit.runtime
    decision = GoOnUnanswered(question_id)
    await take_decision(runtime.database, runtime.rules, quote_id, decision, actor=visit.actor)
    return await _go_on(visit, "You go on without the answer.")


def _chosen(form: DecisionForm) -> str:
    """Return the reason of a cancellation that was chosen; empty for the one that the page begins with."""
    return "" if form.cancel_reason == CancellationReason.INSURED_REQUEST else form.cancel_reason


async def _go_on(visit: Visit, said: str) -> Response:
    """Show the case again after a step beside the decision; a decision that was begun comes along."""
    form = await read_decision(visit)
    if replace(form, decision="", options=frozenset(), cancel_reason=_chosen(form), send_to="") == FRESH:
        option = visit.word("option")
        back = case_address(visit, visit.path_id("submission_id"))
        if option.isdecimal():
            back = f"{to_option(visit, visit.path_id('submission_id'))}{option}"
        return await visit.done(back, said)
    return await show_case(visit, form, said=said)


async def send_contingency(visit: Visit) -> Response:
    facts = await read_case(visit)
    form = await visit.form()
    quotes = {str(record.quote.quote_id): record.quote for record in facts.seen}
    quote = quotes.get(form.get("quote_id") or visit.word("quote_id"))
    if quote is None:
        raise NotFound("There is no such option.")
    number, runtime = form.get("contingency_id") or visit.word("contingency_id"), visit.runtime
    # Among the fields of a decision that was begun those of a paper have names of their own.
    said = form.get("paper") or form.get("decision", "")
    reason = form.get(f"{WHY}{number}" if "paper" in form else "reason", "").strip()
    try:
        check_words(reason=reason)
        decision, done = _about_contingency(said, number, reason)
        await take_decision(runtime.database, runtime.rules, quote.quote_id, decision, actor=visit.actor)
    except (InvalidRequest, WrongState, BeyondAuthority) as fault:
        begun = await read_decision(visit) if "paper" in form else None
        return await show_case(visit, begun, fault=fault, why={number: reason})
    async with runtime.database.reading() as tx:
        policy = await policies.find(tx, quote.quote_id)
    if policy is not None and policy.is_issued:
        done = f"{done} Policy {policy.policy_number} is issued, and the broker gets an email."
    return await _go_on(visit, done)


def _about_contingency(said: str, number: str, reason: str) -> tuple[Decision, str]:
    match said:
        case "reopen":
            return ReopenContingency(number, reason), "It is asked for again."
        case "reject" if not reason:
            flaw = Problem("reason", "required", "is required to reject a file: the broker gets it")
            raise InvalidRequest.because([flaw])
        case "reject":
            return ReopenContingency(number, reason), "The file is rejected, and the broker is asked again."
        case "accept":
            closing = Closing(ClosedAs.FULFILLED, reason)
            return CloseContingency(number, closing), "The contingency is closed as fulfilled."
        case "waive":
            return CloseContingency(number, Closing(ClosedAs.WAIVED, reason)), "The contingency is waived."
        case _:
            flaw = Problem("decision", "unknown_decision", "must be to accept, waive, reject or reopen it")
            raise InvalidRequest.because([flaw])
