import uuid

from bindery.actions.change_contingencies import change_contingencies
from bindery.actions.lock_quote import lock_quote
from bindery.actions.pass_over_siblings import pass_over_siblings
from bindery.actions.put_in_force import put_in_force
from bindery.base.errors import WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binding import decide_approval
from bindery.runtime import Runtime
from bindery.storage import contingencies, policies


async def approve_bind(
    runtime: Runtime, quote_id: uuid.UUID, *, actor: str, reason: str = "", seen_step: int | None = None
) -> None:
    """Issue the policy asked for, or a conditional binder where post-bind contingencies are still open.

    `reason` is told to the partner.

    Raises:
        ChangedMeanwhile: something has happened since the step that was seen last.
        WrongState: it has no bind waiting for a decision.
        AlreadyBound: the company is covered in that period by now.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id, seen_step=seen_step)
        if quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
            raise WrongState(
                f"The quote is {quote.status}: it has no bind waiting for a decision.",
                status=quote.status,
                available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED],
            )
        policy = await policies.find(tx, quote_id)
        assert policy is not None, "a requested bind was recorded"
        approval = decide_approval(
            await contingencies.of_quote(tx, quote_id), attested=policy.attested, today=tx.today
        )
        quote = await change_contingencies(tx, quote, close=approval.closes, actor=actor)
        await put_in_force(
            tx, runtime.practice, quote, fulfil_by=approval.fulfil_by, actor=actor, reason=reason
        )
        # Others may have been opened since the bind was asked for.
        await pass_over_siblings(tx, quote, actor=actor)
