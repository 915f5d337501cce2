import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from msgspec import UNSET, structs

from bindery.base.errors import ChangedMeanwhile, NotFound, WrongState
from bindery.contract.event_details import (
    EventContingency,
    EventDetails,
    QuoteContingencyChanged,
    QuoteNotBound,
)
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.contingencies import (
    Closing,
    Contingency,
    DraftContingency,
    all_received_on,
    first_files,
    last_day_for_more,
)
from bindery.domain.policy.policy import Policy
from bindery.domain.products import products_of, record_of
from bindery.domain.quote.lifecycle import OPEN_OFFERS, Trigger
from bindery.domain.quote.pipeline import come_back
from bindery.domain.quote.quote import Quote, Step, Walk, concerns_desk, last_step, take
from bindery.storage.database import Tx
from bindery.storage.desk import desk
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies, journal, quotes
from bindery.storage.submission import submissions


async def advance_quote(
    tx: Tx, quote: Quote, trigger: Trigger, *, actor: str, said: EventDetails | None = None
) -> Quote:
    """Move a locked quote by one step, and write the step in its journal."""
    (moved,) = await advance_quotes(tx, [Walk(quote, (Step(trigger, actor, said),))])
    return moved


async def advance_quotes(tx: Tx, walks: Sequence[Walk]) -> list[Quote]:
    """Move locked quotes, each by all of its steps, and write every step in their journals.

    This is the one door to a status. It takes two statements, however many quotes and steps there are, and a
    third where it changes the items on the underwriters' desk. A step that leads nowhere raises `WrongState`
    before anything is written.
    """
    taken = [take(walk, at=tx.now, new_id=tx.new_id) for walk in walks]
    saved = await quotes.save(tx, [quote for quote, _ in taken])
    await journal.append(tx, [entry for _, entries in taken for entry in entries])
    at_the_desk = {walk.quote.submission_id for walk in walks if concerns_desk(walk)}
    if at_the_desk:
        await desk.refresh_desk_items(tx, at_the_desk)
    return saved


async def lock_quote(tx: Tx, quote_id: uuid.UUID, *, seen_step: int | None = None) -> Quote:
    """Lock a quote's company and then the quote: the order in which every action takes them.

    `seen_step` is the last step that the decider saw: nothing may have happened since.
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
    quote = await lock_quote(tx, quote_id)
    return quote, await policy_of(tx, quote)


async def policy_of(tx: Tx, quote: Quote) -> Policy:
    policy = await policies.find(tx, quote.quote_id)
    if policy is None:
        raise WrongState(
            f"A quote that is {quote.status} has no policy.",
            status=quote.status,
            available_statuses=[QuoteStatus.POLICY_ACTIVE],
        )
    return policy


async def change_contingencies(
    tx: Tx,
    quote: Quote,
    *,
    actor: str,
    add: Sequence[DraftContingency] = (),
    close: Iterable[tuple[Contingency, Closing]] = (),
    reopen: Iterable[Contingency] = (),
    because: str = "",
) -> Quote:
    """Change what is owed for a locked quote and announce each change: the one door to its contingencies.

    `because` tells the broker why something is asked for again.
    """
    changes: list[QuoteContingencyChanged] = []
    reopen = list(reopen)
    opened = await contingencies.add(tx, {quote.quote_id: add})
    for contingency in opened[quote.quote_id]:
        added = EventContingency(
            contingency_id=contingency.contingency_id, type=contingency.type, text=contingency.text
        )
        changes.append(QuoteContingencyChanged(added=added))
    for contingency, closing in close:
        await contingencies.close(tx, quote.quote_id, contingency.contingency_id, closing)
        changes.append(
            QuoteContingencyChanged(
                closed=contingency.contingency_id,
                closed_as=closing.closed_as,
                closed_reason=closing.reason or None,
            )
        )
    for contingency in reopen:
        await contingencies.reopen(tx, quote.quote_id, contingency.contingency_id, because=because)
        changes.append(
            QuoteContingencyChanged(reopened=contingency.contingency_id, reopened_because=because or UNSET)
        )
    if not changes:
        return quote
    if quote.status is QuoteStatus.POLICY_ACTIVE:
        more = bool(opened[quote.quote_id] or reopen)
        last_day = await note_receipt(tx, quote.quote_id, asks_for_more=more)
        if last_day is not None:
            changes = [structs.replace(change, fulfil_by=last_day) for change in changes]
    steps = tuple(Step(Trigger.CHANGE_CONTINGENCIES, actor, change) for change in changes)
    (changed,) = await advance_quotes(tx, [Walk(quote, steps)])
    return changed


async def pass_over_siblings(tx: Tx, quote: Quote, *, actor: str) -> None:
    """Set the company's other open quotes of the line aside, remembering for which option."""
    for product in products_of(record_of(quote.product).line):
        for other in await quotes.lock_of_company(tx, quote.company_id, product, OPEN_OFFERS):
            if other.quote_id != quote.quote_id:
                await advance_quote(
                    tx,
                    replace(other, passed_over_for=quote.quote_id),
                    Trigger.PASS_OVER,
                    actor=actor,
                    said=QuoteNotBound(instead=str(quote.quote_id)),
                )


async def bring_back_siblings(tx: Tx, refused: Quote, *, actor: str) -> None:
    """Reopen the options that were passed over for a refused bind: offers in date, referrals to the desk."""
    passed_over = await quotes.lock_passed_over_for(tx, refused.quote_id)
    ways_back = [come_back(other, today=tx.today, actor=actor) for other in passed_over]
    walks = [walk for walk in ways_back if walk is not None]
    if walks:
        await advance_quotes(tx, walks)


async def note_receipt(tx: Tx, quote_id: uuid.UUID, *, asks_for_more: bool = False) -> date | None:
    """Note since when a conditional binder has every file that it owes; leave anything else as it is.

    Where an underwriter `asks_for_more`, return the binder's last day if there has to be more time for it.
    """
    policy = await policies.find(tx, quote_id)
    if policy is None or not policy.is_conditional:
        return None
    assert policy.fulfil_by is not None, "a conditional binder has a last day"
    owed = await contingencies.of_quote(tx, quote_id)
    first = first_files(await contingencies.files_of(tx, quote_id))
    received_on = all_received_on(owed, {key: tx.calendar.day_of(at) for key, at in first.items()})
    fulfil_by = last_day_for_more(policy.fulfil_by, tx.today) if asks_for_more else policy.fulfil_by
    if (received_on, fulfil_by) != (policy.received_on, policy.fulfil_by):
        await policies.record_receipt(tx, quote_id, received_on=received_on, fulfil_by=fulfil_by)
    return fulfil_by if fulfil_by != policy.fulfil_by else None
