import uuid
from functools import partial

import msgspec

from bindery.actions.set_renewal_type import lock_pausable, set_renewal_type
from bindery.contract.binds import PauseRenewalResponse
from bindery.contract.events import PolicyRenewalResumed
from bindery.domain.access.caller import Caller
from bindery.domain.policy.policy import RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime
from bindery.storage.database import Tx
from bindery.storage.idempotency import idempotently

RESUMED = "The policy renews automatically again."


async def resume_renewal(runtime: Runtime, caller: Caller, quote_id: uuid.UUID) -> bytes:
    """Resume automatic renewal of a policy and its renewal; resuming twice changes nothing more.

    Raises:
        Unpausable: there is no policy in force that could renew automatically.
        IdempotencyInFlight: the same key is being worked on.
        IdempotencyMismatch: the same key came with another request before.
    """
    async with runtime.database.transaction() as tx:
        return await idempotently(tx, caller, partial(_resume, tx, caller, quote_id))


async def _resume(tx: Tx, caller: Caller, quote_id: uuid.UUID) -> bytes:
    policy = await lock_pausable(tx, quote_id, partner_id=caller.partner_id)
    said = PolicyRenewalResumed(policy_number=policy.number)
    await set_renewal_type(tx, policy, RenewalType.AUTO, Trigger.RESUME_RENEWAL, said, actor=caller.actor)
    return msgspec.json.encode(PauseRenewalResponse(RESUMED))
