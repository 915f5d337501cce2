"""An underwriter's decision on the change of a policy that waits on a case."""

from starlette.responses import Response

from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import BinderyError, InvalidRequest, NotFound
from bindery.domain.quote.decisions import ApproveChange, Decision, DeclineChange
from bindery.web.case.case import show_case
from bindery.web.case.case_facts import read_case
from bindery.web.desk.queue_filter import case_address
from bindery.web.frame.visit import Visit


async def send_change(visit: Visit) -> Response:
    """Issue the change that waits, or decline it; whoever comes second is told what happened."""
    form = await visit.form()
    submission_id = visit.path_id("submission_id")
    reason, change_id = form.get("reason", "").strip(), form.get("change_id", "")
    decisions: dict[str, Decision] = {
        "approve_change": ApproveChange(reason, change_id),
        "decline_change": DeclineChange(reason, change_id),
    }
    decision = decisions.get(form.get("decision", ""))
    try:
        if decision is None:
            raise InvalidRequest.at("", "required", "Issue the change, or decline it.")
        quote_id = visit.as_id(form.get("quote_id", ""))
        if quote_id not in {record.quote.quote_id for record in (await read_case(visit)).seen}:
            raise NotFound("There is no such policy here.")
        assert quote_id is not None, "it is one of the case"
        runtime = visit.runtime
        await take_decision(runtime.database, runtime.rules, quote_id, decision, actor=visit.actor)
    except BinderyError as fault:
        return await show_case(visit, change_fault=fault, changing=reason)
    done = "The change is issued." if isinstance(decision, ApproveChange) else "The change is declined."
    return await visit.done(case_address(visit, submission_id), done)
