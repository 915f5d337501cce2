import uuid

from bindery.actions.renewal.set_renewal_type import RenewalChange, set_renewal_type
from bindery.contract.events import PolicyRenewalPaused
from bindery.domain.access.caller import Caller
from bindery.domain.policy.policy import RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database

PAUSE = RenewalChange(
    RenewalType.MANUAL,
    Trigger.PAUSE_RENEWAL,
    PolicyRenewalPaused,
    "Automatic renewal is paused; the policy renews by hand only.",
)


async def pause_renewal(database: Database, caller: Caller, quote_id: uuid.UUID) -> bytes:
    """Pause automatic renewal of a policy and its renewal; it may raise what `set_renewal_type` does."""
    return await set_renewal_type(database, caller, quote_id, PAUSE)
