import uuid
from functools import partial

import msgspec

from bindery.actions.quote.advance_quote import advance_quote, lock_policy
from bindery.contract.binds import CancellationAsk, StandingResponse
from bindery.contract.events import PolicyCancellationRequested
from bindery.domain.access.caller import Caller
from bindery.domain.policy.ending import KeptRequest, decide_cancel
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.policy import policies

REQUESTED = "An underwriter will decide on the cancellation; until then the policy stays in force."


async def request_cancellation(
    database: Database, caller: Caller, quote_id: uuid.UUID, asked: CancellationAsk
) -> bytes:
    """Put a partner's request to cancel a policy on the desk; a later request replaces it.

    Raises:
        WrongState: there is no active policy.
        InvalidRequest: the day is outside the policy's term.
        IdempotencyInFlight: the same key is being worked on.
        IdempotencyMismatch: the same key came with another request before.
    """
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_request, tx, caller, quote_id, asked))


async def _request(tx: Tx, caller: Caller, quote_id: uuid.UUID, asked: CancellationAsk) -> bytes:
    quote, policy = await lock_policy(tx, quote_id)
    # What an underwriter could not grant is refused at once.
    decide_cancel(quote, policy, on=asked.effective, today=tx.today)
    request = KeptRequest(effective=asked.effective, reason=asked.reason, at=tx.now)
    # Asked for again while it waits, it is the same request.
    if not request.is_like(await policies.open_cancellation(tx, quote_id)):
        # Before the step, which looks at what waits on the desk.
        await policies.request_cancellation(tx, quote_id, request)
        said = PolicyCancellationRequested(effective=asked.effective, reason=asked.reason)
        quote = await advance_quote(tx, quote, Trigger.REQUEST_CANCELLATION, actor=caller.actor, said=said)
    return msgspec.json.encode(
        StandingResponse(message=REQUESTED, quote_identifier=str(quote_id), quote_status=quote.status)
    )
