import hashlib
import uuid
from dataclasses import dataclass

import msgspec

from bindery.actions.submission.submit_quotes import SubmitAsk, submit_quotes
from bindery.contract.quotes import CreateQuotesResponse
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.drafts.draft import Draft
from bindery.storage import idempotency
from bindery.storage.database import Database
from bindery.storage.idempotency import FirstAnswer
from bindery.storage.signing import client_links
from bindery.storage.submission import drafts


@dataclass(frozen=True, slots=True)
class SentDraft:
    """The company that a draft became or belongs to; `is_again`: it had been sent before."""

    company_id: int
    is_again: bool


def sender_of(draft: Draft, actor: str) -> Caller:
    """Return who sends a draft: whoever does, and whatever it holds then, it is one request."""
    key = f"draft-{draft.draft_id}"
    digest = hashlib.sha256(key.encode()).digest()
    return Caller(partner_id=draft.partner_id, actor=actor, idempotency_key=key, request_hash=digest)


async def find_sent(database: Database, draft: Draft, caller: Caller) -> SentDraft | None:
    """Return what a draft was sent as although nobody wrote it down: the answer had been lost."""
    async with database.reading() as tx:
        first_answer = await idempotency.replay(tx, caller)
    return None if first_answer is None else await _keep_sent(database, draft, first_answer)


async def send_draft(database: Database, rules: BusinessRules, draft: Draft, ask: SubmitAsk) -> SentDraft:
    """Submit the request of a draft once, as POST `/quotes` would, under the draft's id.

    Raises:
        IdempotencyInFlight: it is being sent at this moment.
        ClearanceBlocked: another organization of the last 60 days has the domain or address.
    """
    (outcome,) = await submit_quotes(database, rules, [ask])
    if isinstance(outcome, Exception):
        raise outcome
    return await _keep_sent(database, draft, outcome)


async def _keep_sent(database: Database, draft: Draft, receipt: bytes) -> SentDraft:
    response = msgspec.json.decode(receipt, type=CreateQuotesResponse)
    quote_id = uuid.UUID(response.quotes[0].quote_identifier)
    async with database.transaction() as tx:
        await drafts.mark_sent(tx, draft.draft_id, quote_id=quote_id)
        # Answers that come later would be part of nothing.
        await client_links.revoke_of_draft(tx, draft.draft_id)
    return SentDraft(int(response.company_id), isinstance(receipt, FirstAnswer))
