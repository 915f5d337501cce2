import uuid

from bindery.actions.renewal.set_renewal_type import RenewalChange, set_renewal_type
from bindery.contract.events import PolicyRenewalResumed
from bindery.domain.access.caller import Caller
from bindery.domain.policy.policy import RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database

RESUME = RenewalChange(
    RenewalType.AUTO,
    Trigger.RESUME_RENEWAL,
    PolicyRenewalResumed,
    "The policy renews automatically again.",
)


async def resume_renewal(database: Database, caller: Caller, quote_id: uuid.UUID) -> bytes:
    """Resume automatic renewal of a policy and its renewal; it may raise what `set_renewal_type` does."""
    return await set_renewal_type(database, caller, quote_id, RESUME)
