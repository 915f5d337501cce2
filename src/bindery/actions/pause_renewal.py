import uuid
from dataclasses import dataclass

import msgspec

from bindery.actions.set_renewal_type import lock_pausable, set_renewal_type
from bindery.contract.binds import PauseRenewalResponse
from bindery.domain.lifecycle import Trigger
from bindery.domain.policy import RenewalType
from bindery.runtime import Runtime
from bindery.storage import idempotency

PAUSED = "Automatic renewal is paused; the policy renews by hand only."


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseCall:
    """A request to pause a renewal, and who sent it."""

    quote_id: uuid.UUID
    partner_id: int
    actor: str
    idempotency_key: str | None
    request_hash: bytes


async def pause_renewal(runtime: Runtime, call: PauseCall) -> bytes:
    """Make a policy renew by hand only, and its renewal with it; pausing twice changes nothing more.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
        IdempotencyInFlight: the same key is being worked on.
        IdempotencyMismatch: the same key came with another request before.
    """
    async with runtime.database.transaction() as tx:
        key = call.idempotency_key
        if key is not None:
            first_answer = await idempotency.replay_or_hold(
                tx, partner_id=call.partner_id, key=key, request_hash=call.request_hash
            )
            if first_answer is not None:
                return first_answer
        policy = await lock_pausable(tx, runtime.practice, call.quote_id, partner_id=call.partner_id)
        await set_renewal_type(tx, policy, RenewalType.MANUAL, Trigger.PAUSE_RENEWAL, actor=call.actor)
        answer = msgspec.json.encode(PauseRenewalResponse(PAUSED))
        if key is not None:
            await idempotency.record(
                tx, partner_id=call.partner_id, key=key, request_hash=call.request_hash, response=answer
            )
        return answer
