import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_quote
from bindery.base.errors import Unpausable
from bindery.contract.events import EventDetails
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage import policies, quotes
from bindery.storage.database import Tx

NOTHING_TO_PAUSE = "There is no active policy of this identifier whose renewal could be paused."


async def lock_pausable(tx: Tx, quote_id: uuid.UUID, *, partner_id: int) -> Policy:
    """Hold a partner's policy whose renewal can be paused or resumed.

    Raises:
        Unpausable: there is no policy in force that could renew automatically.
    """
    if await quotes.find(tx, quote_id, partner_id=partner_id) is None:
        raise Unpausable(NOTHING_TO_PAUSE)
    quote = await lock_quote(tx, quote_id)
    policy = await policies.find(tx, quote_id)
    if quote.status is not QuoteStatus.POLICY_ACTIVE or policy is None:
        raise Unpausable(NOTHING_TO_PAUSE)
    if policy.term.expiration <= tx.today:
        raise Unpausable(f"The policy ended on {policy.term.expiration}.")
    return policy


async def set_renewal_type(
    tx: Tx, policy: Policy, wanted: RenewalType, trigger: Trigger, said: EventDetails, *, actor: str
) -> None:
    """Set how a policy and its renewal renew; record an event where that is a change."""
    its_renewal = [policy.renewal_quote_id] if policy.renewal_quote_id else []
    await policies.set_renewal_type(tx, [policy.quote_id, *its_renewal], wanted)
    if policy.renewal_type is not wanted:
        quote = await lock_quote(tx, policy.quote_id)
        await advance_quote(tx, quote, trigger, actor=actor, said=said)
