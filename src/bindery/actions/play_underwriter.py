import uuid
from typing import assert_never

from bindery.actions.reprice_quote import AS_ASSESSED
from bindery.actions.review_bind import approve_bind
from bindery.actions.review_quote import approve_referral, decline_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain import demo
from bindery.runtime import Runtime
from bindery.storage import submissions

ACTOR = "simulated underwriter"


async def play_underwriter(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Decide what waits of a submission the way the applicant's name asks for; demo only."""
    async with runtime.database.reading() as tx:
        stored = await submissions.find(tx, submission_id)
        if stored is None:
            return
        decision = demo.played_decision(stored.submission.name)
        if decision is None:
            return
        referred = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_REFERRED)
        requested = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_BIND_REQUESTED)
    match decision:
        case demo.PlayedDecision.APPROVE:
            for quote_id in referred:
                await approve_referral(runtime, quote_id, changed=AS_ASSESSED, actor=ACTOR)
            for quote_id in requested:
                await approve_bind(runtime, quote_id, actor=ACTOR)
        case demo.PlayedDecision.DECLINE:
            for quote_id in (*referred, *requested):
                await decline_quote(
                    runtime, quote_id, actor=ACTOR, reason="The applicant's name asks for it."
                )
        case _:
            assert_never(decision)
