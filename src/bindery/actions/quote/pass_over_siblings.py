from dataclasses import replace

from bindery.actions.quote.advance_quote import advance_quote
from bindery.contract.events import QuoteNotBound
from bindery.domain.products import products_of, record_of
from bindery.domain.quote.lifecycle import OPEN_OFFERS, Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.quote import quotes


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
