from collections.abc import Sequence

from bindery.contract.events import EventDetails
from bindery.domain.quote.desk import concerns_desk
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote, Step, Walk, take
from bindery.storage.database import Tx
from bindery.storage.desk import desk
from bindery.storage.quote import journal, quotes


async def advance_quote(
    tx: Tx, quote: Quote, trigger: Trigger, *, actor: str, said: EventDetails | None = None
) -> Quote:
    """Move a locked quote by one step, and write the step in its journal.

    Raises:
        WrongState: the trigger leads nowhere from the quote's status.
    """
    (moved,) = await advance_quotes(tx, [Walk(quote, (Step(trigger, actor, said),))])
    return moved


async def advance_quotes(tx: Tx, walks: Sequence[Walk]) -> list[Quote]:
    """Move locked quotes, each by all of its steps, and write every step in their journals.

    This is the one door to a status. It takes two statements, however many quotes and steps there are, and a
    third where it changes what waits on the underwriters' desk.

    Raises:
        WrongState: a step leads nowhere from where it is taken; nothing is written then.
    """
    taken = [take(walk, at=tx.now, new_id=tx.new_id) for walk in walks]
    saved = await quotes.save(tx, [quote for quote, _ in taken])
    await journal.append(tx, [entry for _, entries in taken for entry in entries])
    at_the_desk = {walk.quote.submission_id for walk in walks if concerns_desk(walk)}
    if at_the_desk:
        await desk.settle(tx, at_the_desk)
    return saved
