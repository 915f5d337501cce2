"""What only the demo environment has: a clock to move, and an underwriter to play."""

from functools import partial
from typing import TypeVar, assert_never

from starlette.responses import Response

from bindery.actions.desk.add_contingency import add_contingency
from bindery.actions.desk.approve_bind import approve_bind
from bindery.actions.desk.approve_referral import approve_referral
from bindery.actions.desk.close_contingency import close_contingency
from bindery.actions.desk.decline_cancellation import decline_cancellation
from bindery.actions.desk.decline_quote import decline_quote
from bindery.actions.desk.revoke_quote import revoke_quote
from bindery.actions.desk.take_decisions import take_decision
from bindery.actions.policy.cancel_policy import cancel_policy
from bindery.actions.policy.reinstate_policy import reinstate_policy
from bindery.actions.quote.show_quote import show_quote
from bindery.actions.quote.wait_for_quote import wait_for_quote
from bindery.actions.timetable.move_clock import move_clock
from bindery.api.bodies import BodyDecoder
from bindery.api.call import Call, json_response
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.contract.demo import ClockShown, MoveClock, ReviewDecision, ReviewRequest, ReviewTerms
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import ChangedTerms
from bindery.runtime import Runtime

T = TypeVar("T")

ACTOR = "demo underwriter"
_clock = BodyDecoder(MoveClock)
_review = BodyDecoder(ReviewRequest)


async def show_clock(call: Call) -> Response:
    """Show the business time."""
    return json_response(ClockShown(now=await call.runtime.database.now()))


async def advance_clock(call: Call) -> Response:
    """Move the clock and answer when everything that became due is done."""
    asked = _clock.require(await call.read_json()).value
    return json_response(ClockShown(now=await move_clock(call.runtime, asked.advance_days)))


async def review(call: Call) -> Response:
    """Play the underwriter on a quote, and show it as it is then."""
    asked = _review.require(await call.read_json()).value
    identifier = call.identifier("identifier")
    seen = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    if seen is None:
        raise NotFound("There is no such quote.")
    await _decide(call.runtime, seen.quote, asked)
    after = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    assert after is not None, "a quote is never deleted"
    return json_response(show_quote(after))


async def _decide(runtime: Runtime, quote: Quote, asked: ReviewRequest) -> None:
    quote_id, reason, practice = quote.quote_id, asked.reason or "", runtime.practice
    decide = partial(take_decision, runtime.database, quote_id)
    match asked.decision:
        case ReviewDecision.APPROVE if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
            await decide(partial(approve_bind, practice=practice, actor=ACTOR, reason=reason))
        case ReviewDecision.APPROVE:
            terms = asked.terms or ReviewTerms()
            changed = ChangedTerms(aggregate_retention=terms.aggregate_retention, premium=terms.premium)
            await decide(
                partial(approve_referral, practice=practice, changed=changed, actor=ACTOR, reason=reason)
            )
        case ReviewDecision.DECLINE if quote.status is QuoteStatus.POLICY_ACTIVE:
            await decide(partial(decline_cancellation, actor=ACTOR, reason=reason))
        case ReviewDecision.DECLINE:
            await decide(partial(decline_quote, actor=ACTOR, reason=reason))
        case ReviewDecision.REVOKE:
            await revoke_quote(runtime.database, quote_id, actor=ACTOR, reason=reason)
        case ReviewDecision.ADD_CONTINGENCY:
            contingency = _required(asked.contingency, "contingency")
            draft = DraftContingency(ContingencyKind.UNDERWRITER, contingency.type, contingency.text)
            await decide(partial(add_contingency, draft=draft, actor=ACTOR))
        case ReviewDecision.CLOSE_CONTINGENCY:
            contingency_id = _required(asked.contingency_id, "contingency_id")
            await close_contingency(runtime.database, runtime.practice, quote_id, contingency_id, actor=ACTOR)
        case ReviewDecision.CANCEL:
            day = asked.effective
            await decide(partial(cancel_policy, practice=practice, on=day, actor=ACTOR, reason=reason))
        case ReviewDecision.REINSTATE:
            await decide(partial(reinstate_policy, practice=practice, actor=ACTOR, reason=reason))
        case _:
            assert_never(asked.decision)


def _required(value: T | None, name: str) -> T:
    if value is None:
        raise InvalidRequest.because([Problem(name, "required", "is required for this decision")])
    return value
