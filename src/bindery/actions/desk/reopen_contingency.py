from bindery.actions.quote.change_contingencies import change_contingencies
from bindery.domain.policy.contingencies import find_contingency
from bindery.domain.policy.policy import check_not_issued
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def reopen_contingency(tx: Tx, quote: Quote, contingency_id: str, *, actor: str) -> None:
    """Open a closed contingency again.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    check_not_issued(quote, await policies.find(tx, quote.quote_id), "nothing is owed any more")
    find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
    contingency = find_contingency(await contingencies.of_quote(tx, quote.quote_id), contingency_id)
    if not contingency.is_open:
        await change_contingencies(tx, quote, reopen=[contingency], actor=actor)
