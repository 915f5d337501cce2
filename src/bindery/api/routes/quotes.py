import msgspec
from starlette.responses import Response

from bindery.api.call import JSON, Call, json_response, not_ready_response
from bindery.api.errors import shown_problems
from bindery.api.wait_for_quote import wait_until_ready
from bindery.base.errors import ListedProblems, NotFound
from bindery.contract.service import ReferralReason, ValidateResponse
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.http.quote_request import judge_quote_request, read_quote_request
from bindery.http.representation import NO_STORE, Representation
from bindery.http.show_quote import show_quote
from bindery.storage import idempotency
from bindery.storage.quote import quote_view


async def create_quotes(call: Call) -> Response:
    body = await call.read_json()
    caller = call.caller(body)
    request = await read_quote_request(call.runtime, call.partner.partner_id, body)
    call.warnings = request.decoded.unknown
    if request.reading.submission is None:
        # What was accepted once is answered as it was then, also where it would be refused today.
        async with call.runtime.database.reading() as tx:
            first_answer = await idempotency.replay(tx, caller)
        if first_answer is not None:
            return json_response(first_answer)
    return json_response(await call.shared.submissions.do(request.accepted_from(caller)))


async def validate_quotes(call: Call) -> Response:
    partner_id = call.partner.partner_id
    request = await read_quote_request(call.runtime, partner_id, await call.read_json())
    judgment = await judge_quote_request(call.runtime, partner_id, request)
    listed = ListedProblems.of(judgment.problems)
    return json_response(
        ValidateResponse(
            valid=not judgment.problems,
            errors=shown_problems(listed.problems),
            errors_left_out=listed.left_out,
            warnings=shown_problems(judgment.warnings),
            missing=list(judgment.missing),
            referral_reasons=[
                ReferralReason(code=reason.code, text=reason.text, recommendation=reason.recommendation)
                for reason in judgment.reasons
            ],
        )
    )


async def get_quote(call: Call) -> Response:
    identifier, partner_id = call.identifier("identifier"), call.partner.partner_id
    wait_s = call.preferred_wait_s
    looking = wait_until_ready(call.runtime, identifier, partner_id=partner_id, wait_s=wait_s)
    state = await (call.while_connected(looking) if wait_s else looking)
    if state is None:
        # Without the identifier: another partner's quote is answered like one that is not there.
        raise NotFound("There is no such quote.")
    applied = {"Preference-Applied": f"wait={wait_s}"} if wait_s else {}
    if state.status in NOT_READY:
        return not_ready_response(state, applied)
    answer = call.shared.shown_quotes.find(state.quote_id, state.version)
    if answer is None:
        async with call.runtime.database.reading() as tx:
            seen = await quote_view.see(tx, state.quote_id, partner_id=partner_id)
        assert seen is not None, "a quote is never deleted"
        answer = Representation(msgspec.json.encode(show_quote(seen)), JSON)
        # It may have changed since the look: the answer is kept for the version that it was read with, unless
        # it changes with the day or with another quote, which no version tells.
        if not seen.changes_with_time:
            call.shared.shown_quotes.keep(state.quote_id, seen.version, answer)
    return call.with_etag(answer, {"Cache-Control": NO_STORE, **applied})
