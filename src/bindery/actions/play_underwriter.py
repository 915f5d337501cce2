"""The demo's simulated underwriter, who decides the way the applicant's name asks for."""

import uuid
from contextlib import suppress
from typing import Final, assert_never

from bindery.actions.advance_quote import advance_quote
from bindery.actions.reprice_quote import AS_ASSESSED
from bindery.actions.review_bind import approve_bind
from bindery.actions.review_quote import approve_locked, decline_quote
from bindery.base.errors import InvalidRequest
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain import demo
from bindery.domain.lifecycle import Trigger
from bindery.domain.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import submissions
from bindery.storage.database import Tx

ACTOR: Final = "simulated underwriter"
REASON: Final = "The applicant's name asks for it."


async def play_referral(runtime: Runtime, tx: Tx, quote: Quote, name: str) -> None:
    """Decide a referral in the transaction that makes it one, so that whoever waits sees the decision."""
    decision = demo.played_decision(name)
    if quote.status is not QuoteStatus.QUOTE_REFERRED or decision is None:
        return
    match decision:
        case demo.PlayedDecision.APPROVE:
            # What the tariff has no price for stays on the desk, as it would with a person.
            with suppress(InvalidRequest):
                await approve_locked(runtime, tx, quote, changed=AS_ASSESSED, actor=ACTOR, reason=REASON)
        case demo.PlayedDecision.DECLINE:
            await advance_quote(tx, quote, Trigger.DECLINE, actor=ACTOR, data={"reason": REASON})
        case _:
            assert_never(decision)


async def play_underwriter(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Decide the requested binds of a submission; those decided already are left."""
    async with runtime.database.reading() as tx:
        stored = await submissions.find(tx, submission_id)
        assert stored is not None, "a bind that was asked for has a submission"
        requested = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_BIND_REQUESTED)
    for quote_id in requested:
        match demo.played_decision(stored.submission.name):
            case demo.PlayedDecision.APPROVE:
                await approve_bind(runtime, quote_id, actor=ACTOR, reason=REASON)
            case demo.PlayedDecision.DECLINE:
                await decline_quote(runtime, quote_id, actor=ACTOR, reason=REASON)
            case None:
                return
            case decision:
                assert_never(decision)
