import uuid

from bindery.actions.quote.change_contingencies import change_contingencies
from bindery.actions.quote.lock_quote import lock_quote
from bindery.domain.policy.contingencies import find_contingency
from bindery.domain.policy.policy import check_not_issued
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.storage.database import Database
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def reopen_contingency(
    database: Database, quote_id: uuid.UUID, contingency_id: str, *, actor: str
) -> None:
    """Open a closed contingency again.

    Raises:
        InvalidRequest: the quote has no such contingency.
        WrongState: it is past the point where that matters.
    """
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        check_not_issued(quote, await policies.find(tx, quote_id), "nothing is owed any more")
        find_move(quote.status, Trigger.CHANGE_CONTINGENCIES)
        contingency = find_contingency(await contingencies.of_quote(tx, quote_id), contingency_id)
        if not contingency.is_open:
            await change_contingencies(tx, quote, reopen=[contingency], actor=actor)
