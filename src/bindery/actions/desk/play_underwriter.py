"""The demo's simulated underwriter, who decides the way the applicant's name asks for."""

import uuid
from typing import assert_never

from bindery.actions.desk.take_decisions import take_decision
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules, PlayedDecision
from bindery.domain.quote.decisions import ApproveBind, Decision, DeclineQuote
from bindery.domain.quote.pipeline import PLAYED_BECAUSE, PLAYED_BY
from bindery.storage.database import Database
from bindery.storage.submission import submissions


async def play_underwriter(database: Database, rules: BusinessRules, submission_id: uuid.UUID) -> None:
    """Decide the requested binds of a submission; those decided already are left."""
    async with database.reading() as tx:
        stored = await submissions.get(tx, submission_id)
        requested = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_BIND_REQUESTED)
    for quote_id in requested:
        match rules.demo_outcomes.played_decision(stored.submission.name):
            case PlayedDecision.APPROVE:
                decision: Decision = ApproveBind(PLAYED_BECAUSE)
            case PlayedDecision.DECLINE:
                decision = DeclineQuote(PLAYED_BECAUSE)
            case None:
                return
            case played:
                assert_never(played)
        await take_decision(database, rules, quote_id, decision, actor=PLAYED_BY)
