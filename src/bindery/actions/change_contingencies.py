from collections.abc import Iterable, Sequence

from bindery.actions.advance_quote import advance_quote
from bindery.domain.contingencies import Contingency, DraftContingency
from bindery.domain.lifecycle import Trigger
from bindery.domain.quote import Quote
from bindery.storage import contingencies
from bindery.storage.database import Tx


async def change_contingencies(
    tx: Tx,
    quote: Quote,
    *,
    actor: str,
    add: Sequence[DraftContingency] = (),
    close: Iterable[Contingency] = (),
    reopen: Iterable[Contingency] = (),
) -> Quote:
    """Change what is owed for a locked quote and tell of each change: the one door to its contingencies.

    Raises:
        WrongState: the quote is past the point where anything can be owed.
    """
    changes: list[dict[str, object]] = []
    for contingency in await contingencies.add(tx, quote.quote_id, add) if add else ():
        added = {
            "contingency_id": contingency.contingency_id,
            "type": contingency.type,
            "text": contingency.text,
        }
        changes.append({"added": added})
    for contingency in close:
        await contingencies.set_status(tx, quote.quote_id, contingency.contingency_id, is_open=False)
        changes.append({"closed": contingency.contingency_id})
    for contingency in reopen:
        await contingencies.set_status(tx, quote.quote_id, contingency.contingency_id, is_open=True)
        changes.append({"reopened": contingency.contingency_id})
    for change in changes:
        quote = await advance_quote(tx, quote, Trigger.CHANGE_CONTINGENCIES, actor=actor, data=change)
    return quote
