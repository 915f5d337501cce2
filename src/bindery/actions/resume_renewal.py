import uuid

from bindery.actions.set_renewal_type import lock_pausable, set_renewal_type
from bindery.contract.events import PolicyRenewalResumed
from bindery.domain.policy.policy import RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime


async def resume_renewal(runtime: Runtime, quote_id: uuid.UUID, *, partner_id: int, actor: str) -> None:
    """Let a policy renew by itself again.

    Raises:
        Unpausable: there is no policy in force that could renew by itself.
    """
    async with runtime.database.transaction() as tx:
        policy = await lock_pausable(tx, quote_id, partner_id=partner_id)
        said = PolicyRenewalResumed(policy_number=policy.number)
        await set_renewal_type(tx, policy, RenewalType.AUTO, Trigger.RESUME_RENEWAL, said, actor=actor)
