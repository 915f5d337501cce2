import uuid

from bindery.actions.change_contingencies import change_contingencies
from bindery.actions.lock_quote import lock_quote
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import DraftContingency
from bindery.domain.policy.policy import check_not_issued
from bindery.runtime import Runtime
from bindery.storage import policies


async def add_contingency(
    runtime: Runtime,
    quote_id: uuid.UUID,
    draft: DraftContingency,
    *,
    actor: str,
    seen_step: int | None = None,
) -> None:
    """Make the quote subject to something more.

    Raises:
        ChangedMeanwhile: something has happened since the step that was seen last.
        WrongState: it is past the point where anything can be asked for.
        InvalidRequest: it is bound, and something is asked for before the bind.
    """
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id, seen_step=seen_step)
        policy = await policies.find(tx, quote_id)
        check_not_issued(quote, policy, "nothing more can be required")
        if policy is not None and policy.in_force and draft.type is ContingencyType.PRE_BIND:
            flaw = Problem("contingency.type", "already_bound", "must be post_bind: the quote is bound")
            raise InvalidRequest.because([flaw])
        await change_contingencies(tx, quote, add=[draft], actor=actor)
