import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_policy
from bindery.base.errors import WrongState
from bindery.domain.messages.events import CancellationDeclined
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.runtime import Runtime
from bindery.storage import policies


async def decline_cancellation(
    runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str, seen_step: int | None = None
) -> None:
    """Leave a policy in force whose cancellation a partner asked for; `reason` is shown to the partner.

    Raises:
        ChangedMeanwhile: something has happened since the step that was seen last.
        WrongState: nobody asked for it, or it was decided already.
    """
    async with runtime.database.transaction() as tx:
        quote, _ = await lock_policy(tx, quote_id, seen_step=seen_step)
        find_move(quote.status, Trigger.DECLINE_CANCELLATION)
        if await policies.open_cancellation(tx, quote_id) is None:
            raise WrongState(
                "This policy has no cancellation waiting for a decision.",
                status=quote.status,
                available_statuses=[],
            )
        await policies.decline_cancellation(tx, quote_id, reason)
        said = CancellationDeclined(reason=reason)
        await advance_quote(tx, quote, Trigger.DECLINE_CANCELLATION, actor=actor, said=said)
