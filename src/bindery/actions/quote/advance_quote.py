import uuid
from collections.abc import Sequence

from bindery.base.errors import ChangedMeanwhile, NotFound, WrongState
from bindery.contract.events import EventDetails
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote, Step, Walk, concerns_desk, last_step, take
from bindery.storage.database import Tx
from bindery.storage.desk import desk
from bindery.storage.policy import policies
from bindery.storage.quote import journal, quotes
from bindery.storage.submission import submissions


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
        await desk.refresh_desk_items(tx, at_the_desk)
    return saved


async def lock_quote(tx: Tx, quote_id: uuid.UUID, *, seen_step: int | None = None) -> Quote:
    """Hold a quote's company and then the quote: the order in which everybody takes them.

    `seen_step` is the last step that somebody saw who decides now: nothing may have happened since.

    Raises:
        NotFound: there is no such quote.
        ChangedMeanwhile: something has happened to it that was not seen.
    """
    company_id = await quotes.company_of(tx, quote_id)
    if company_id is None:
        raise NotFound("There is no such quote.")
    await submissions.lock(tx, company_id)
    quote = await quotes.lock(tx, quote_id)
    if seen_step is not None and last_step(await journal.of_quote(tx, quote_id), quote_id) != seen_step:
        raise ChangedMeanwhile("The option was changed after the page was opened; nothing was done.")
    return quote


async def lock_policy(tx: Tx, quote_id: uuid.UUID) -> tuple[Quote, Policy]:
    """Hold a quote that was bound, and return it with its policy.

    Raises:
        NotFound: there is no such quote.
        WrongState: it was never bound.
    """
    quote = await lock_quote(tx, quote_id)
    return quote, await policy_of(tx, quote)


async def policy_of(tx: Tx, quote: Quote) -> Policy:
    """Return the policy of a quote that is held.

    Raises:
        WrongState: it was never bound.
    """
    policy = await policies.find(tx, quote.quote_id)
    if policy is None:
        raise WrongState(
            f"A quote that is {quote.status} has no policy.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_ACTIVE],
        )
    return policy
