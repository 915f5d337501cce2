"""The demo's simulated underwriter, who decides the way the applicant's name asks for."""

import uuid
from functools import partial
from typing import assert_never

from bindery.actions.desk.approve_bind import approve_bind
from bindery.actions.desk.decline_quote import decline_quote
from bindery.actions.desk.take_decisions import take_decision
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.demo import PlayedDecision
from bindery.domain.practice import Practice
from bindery.domain.quote.pipeline import PLAYED_BECAUSE, PLAYED_BY
from bindery.storage.database import Database
from bindery.storage.submission import submissions


async def play_underwriter(database: Database, practice: Practice, submission_id: uuid.UUID) -> None:
    """Decide the requested binds of a submission; those decided already are left."""
    async with database.reading() as tx:
        stored = await submissions.get(tx, submission_id)
        requested = await submissions.options_in(tx, submission_id, QuoteStatus.QUOTE_BIND_REQUESTED)
    for quote_id in requested:
        match practice.magic.played_decision(stored.submission.name):
            case PlayedDecision.APPROVE:
                approved = partial(approve_bind, practice=practice, actor=PLAYED_BY, reason=PLAYED_BECAUSE)
                await take_decision(database, quote_id, approved)
            case PlayedDecision.DECLINE:
                declined = partial(decline_quote, actor=PLAYED_BY, reason=PLAYED_BECAUSE)
                await take_decision(database, quote_id, declined)
            case None:
                return
            case decision:
                assert_never(decision)
