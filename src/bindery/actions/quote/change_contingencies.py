from collections.abc import Iterable, Sequence
from dataclasses import replace

from bindery.actions.quote.advance_quote import advance_quote, advance_quotes
from bindery.contract.events import EventContingency, QuoteContingencyChanged, QuoteNotBound
from bindery.domain.policy.contingencies import Contingency, DraftContingency
from bindery.domain.products import products_of, record_of
from bindery.domain.quote.lifecycle import OPEN_OFFERS, Trigger
from bindery.domain.quote.quote import Quote, Step, Walk
from bindery.storage.database import Tx
from bindery.storage.quote import contingencies, quotes


async def change_contingencies(
    tx: Tx,
    quote: Quote,
    *,
    actor: str,
    add: Sequence[DraftContingency] = (),
    close: Iterable[Contingency] = (),
    reopen: Iterable[Contingency] = (),
) -> Quote:
    """Change what is owed for a locked quote and announce each change: the one door to its contingencies.

    Raises:
        WrongState: the quote is past the point where anything can be owed.
    """
    changes: list[QuoteContingencyChanged] = []
    opened = await contingencies.add(tx, {quote.quote_id: add})
    for contingency in opened[quote.quote_id]:
        added = EventContingency(
            contingency_id=contingency.contingency_id, type=contingency.type, text=contingency.text
        )
        changes.append(QuoteContingencyChanged(added=added))
    for contingency in close:
        await contingencies.set_status(tx, quote.quote_id, contingency.contingency_id, is_open=False)
        changes.append(QuoteContingencyChanged(closed=contingency.contingency_id))
    for contingency in reopen:
        await contingencies.set_status(tx, quote.quote_id, contingency.contingency_id, is_open=True)
        changes.append(QuoteContingencyChanged(reopened=contingency.contingency_id))
    if not changes:
        return quote
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
