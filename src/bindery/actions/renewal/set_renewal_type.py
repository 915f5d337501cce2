import uuid
from dataclasses import dataclass
from functools import partial

import msgspec

from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.base.errors import Unpausable, Unresumable
from bindery.contract.binds import PauseRenewalResponse
from bindery.contract.event_details import PolicyRenewalPaused, PolicyRenewalResumed
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.caller import Caller
from bindery.domain.policy.policy import Policy, RenewalRuling, RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database, Tx
from bindery.storage.idempotency import idempotently
from bindery.storage.policy import policies
from bindery.storage.quote import quotes


@dataclass(frozen=True, slots=True)
class RenewalChange:
    wanted: RenewalType
    trigger: Trigger
    event: type[PolicyRenewalPaused | PolicyRenewalResumed]
    message: str
    refusal: type[Unpausable]
    verb: str

    def nothing_to_change(self) -> Unpausable:
        return self.refusal(
            f"There is no active policy with this identifier whose renewal could be {self.verb}."
        )


async def set_renewal_type(
    database: Database, caller: Caller, quote_id: uuid.UUID, change: RenewalChange
) -> bytes:
    """Set how a policy and its renewal renew; asking twice changes nothing more."""
    async with database.transaction() as tx:
        return await idempotently(tx, caller, partial(_set, tx, caller, quote_id, change))


async def _set(tx: Tx, caller: Caller, quote_id: uuid.UUID, change: RenewalChange) -> bytes:
    policy = await lock_pausable(tx, quote_id, change, partner_id=caller.partner_id)
    its_renewal = [policy.renewal_quote_id] if policy.renewal_quote_id else []
    await policies.set_renewal_type(tx, [policy.quote_id, *its_renewal], change.wanted)
    if policy.renewal_type is not change.wanted:
        quote = await lock_quote(tx, policy.quote_id)
        said = change.event(policy_number=policy.number)
        await advance_quote(tx, quote, change.trigger, actor=caller.actor, said=said)
    return msgspec.json.encode(PauseRenewalResponse(change.message))


async def lock_pausable(tx: Tx, quote_id: uuid.UUID, change: RenewalChange, *, partner_id: int) -> Policy:
    """Lock a partner's policy in force whose renewal can be paused or resumed."""
    if await quotes.find(tx, quote_id, partner_id=partner_id) is None:
        raise change.nothing_to_change()
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if quote.status is not QuoteStatus.POLICY_ACTIVE or policy is None:
        raise change.nothing_to_change()
    if policy.term.expiration <= tx.today:
        raise change.refusal(f"The policy ended on {policy.term.expiration}.")
    if policy.renewal_ruling is RenewalRuling.NOT_RENEWED:
        raise change.refusal(f"The insurer does not renew this policy: it ends on {policy.term.expiration}.")
    return policy


PAUSE = RenewalChange(
    RenewalType.MANUAL,
    Trigger.PAUSE_RENEWAL,
    PolicyRenewalPaused,
    "Automatic renewal is paused: the policy ends unless a renewal is bound by hand.",
    Unpausable,
    "paused",
)


async def pause_renewal(database: Database, caller: Caller, quote_id: uuid.UUID) -> bytes:
    return await set_renewal_type(database, caller, quote_id, PAUSE)


RESUME = RenewalChange(
    RenewalType.AUTO,
    Trigger.RESUME_RENEWAL,
    PolicyRenewalResumed,
    "The policy renews automatically again.",
    Unresumable,
    "resumed",
)


async def resume_renewal(database: Database, caller: Caller, quote_id: uuid.UUID) -> bytes:
    return await set_renewal_type(database, caller, quote_id, RESUME)
