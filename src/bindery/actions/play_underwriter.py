import uuid

from bindery.actions.review_quote import ChangedTerms, approve_referral, decline_quote
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain import demo
from bindery.runtime import Runtime
from bindery.storage import submissions

ACTOR = "simulated underwriter"


async def play_underwriter(runtime: Runtime, submission_id: uuid.UUID) -> None:
    """Decide the referrals of a submission the way the applicant's name asks for; demo only."""
    async with runtime.database.reading() as tx:
        stored = await submissions.find(tx, submission_id)
        if stored is None:
            return
        decision = demo.played_decision(stored.submission.name)
        if decision is None:
            return
        referred = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_REFERRED)
    for quote_id in referred:
        match decision:
            case demo.PlayedDecision.APPROVE:
                await approve_referral(runtime, quote_id, changed=ChangedTerms(), actor=ACTOR)
            case demo.PlayedDecision.DECLINE:
                await decline_quote(
                    runtime, quote_id, actor=ACTOR, reason="The applicant's name asks for it."
                )
