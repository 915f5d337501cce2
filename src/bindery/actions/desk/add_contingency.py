from bindery.actions.quote.change_contingencies import change_contingencies
from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import DraftContingency
from bindery.domain.policy.policy import check_not_issued
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies


async def add_contingency(tx: Tx, quote: Quote, draft: DraftContingency, *, actor: str) -> None:
    """Make the quote subject to something more.

    Raises:
        WrongState: it is past the point where anything can be asked for.
        InvalidRequest: it is bound, and something is asked for before the bind.
    """
    policy = await policies.find(tx, quote.quote_id)
    check_not_issued(quote, policy, "nothing more can be required")
    if policy is not None and policy.in_force and draft.type is ContingencyType.PRE_BIND:
        flaw = Problem("contingency.type", "already_bound", "must be post_bind: the quote is bound")
        raise InvalidRequest.because([flaw])
    await change_contingencies(tx, quote, add=[draft], actor=actor)
