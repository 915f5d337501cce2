"""What only the demo environment has: a clock to move, and an underwriter to play."""

from typing import assert_never

from starlette.responses import Response

from bindery.actions.move_clock import move_clock
from bindery.actions.review_quote import (
    ChangedTerms,
    add_contingency,
    approve_referral,
    decline_quote,
    revoke_quote,
)
from bindery.actions.wait_for_quote import wait_for_quote
from bindery.api.bodies import BodyDecoder
from bindery.api.call import Call, json_response
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.contract.demo import ClockShown, MoveClock, ReviewDecision, ReviewRequest, ReviewTerms
from bindery.domain.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote_view import show_quote

ACTOR = "demo underwriter"
_clock = BodyDecoder(MoveClock)
_review = BodyDecoder(ReviewRequest)


async def show_clock(call: Call) -> Response:
    """Show the business time."""
    return json_response(ClockShown(now=await call.runtime.database.now()))


async def advance_clock(call: Call) -> Response:
    """Move the clock and answer when everything that became due is done."""
    asked = _clock.require(await call.read_json())
    return json_response(ClockShown(now=await move_clock(call.runtime, asked.advance_days)))


async def review(call: Call) -> Response:
    """Play the underwriter on a quote, and show it as it is then."""
    asked = _review.require(await call.read_json())
    identifier = call.identifier("identifier")
    seen = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    if seen is None:
        raise NotFound(f"There is no quote {identifier}.")
    quote_id = seen.quote.quote_id
    match asked.decision:
        case ReviewDecision.APPROVE:
            terms = asked.terms or ReviewTerms()
            changed = ChangedTerms(aggregate_retention=terms.aggregate_retention, premium=terms.premium)
            await approve_referral(call.runtime, quote_id, changed=changed, actor=ACTOR, reason=asked.reason)
        case ReviewDecision.DECLINE:
            await decline_quote(call.runtime, quote_id, actor=ACTOR, reason=asked.reason)
        case ReviewDecision.REVOKE:
            await revoke_quote(call.runtime, quote_id, actor=ACTOR, reason=asked.reason)
        case ReviewDecision.ADD_CONTINGENCY:
            if asked.contingency is None:
                raise InvalidRequest.because([Problem("contingency", "required", "is required to add one")])
            draft = DraftContingency(
                ContingencyKind.UNDERWRITER, asked.contingency.type, asked.contingency.text
            )
            await add_contingency(call.runtime, quote_id, draft, actor=ACTOR)
        case _:
            assert_never(asked.decision)
    after = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    assert after is not None, "a quote is never deleted"
    return json_response(
        show_quote(after.quote, client=after.client, term=after.term, contingencies=after.contingencies)
    )
