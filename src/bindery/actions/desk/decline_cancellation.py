from bindery.actions.quote.advance_quote import advance_quote, policy_of
from bindery.base.errors import WrongState
from bindery.domain.messages.webhooks import CancellationDeclined
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies


async def decline_cancellation(tx: Tx, quote: Quote, *, actor: str, reason: str) -> None:
    """Leave a policy in force whose cancellation a partner asked for; `reason` is shown to the partner.

    Raises:
        WrongState: nobody asked for it, or it was decided already.
    """
    policy = await policy_of(tx, quote)
    find_move(quote.status, Trigger.DECLINE_CANCELLATION)
    if await policies.open_cancellation(tx, policy.quote_id) is None:
        raise WrongState(
            "This policy has no cancellation waiting for a decision.",
            status=quote.status,
            available_statuses=[],
        )
    await policies.decline_cancellation(tx, policy.quote_id, reason)
    said = CancellationDeclined(reason=reason)
    await advance_quote(tx, quote, Trigger.DECLINE_CANCELLATION, actor=actor, said=said)
