"""Finding the company or quote of a page; `partner_id` limits them to one partner, None does not.

All of these raise `NotFound` for the company or quote of another partner as if it did not exist.
"""

import uuid

from bindery.base.errors import NotFound
from bindery.domain.quote.quote import Quote
from bindery.storage.access import partners
from bindery.storage.database import Reader
from bindery.storage.quote import quote_view, quotes
from bindery.storage.quote.quote_view import QuoteRecord

NO_SUCH_COMPANY = "There is no such company."
NO_SUCH_QUOTE = "There is no such quote."


async def find_company(tx: Reader, company_id: int, *, partner_id: int | None) -> list[QuoteRecord]:
    seen = await quote_view.see_company(tx, company_id)
    if not seen or partner_id not in {None, seen[0].quote.partner_id}:
        raise NotFound(NO_SUCH_COMPANY)
    return seen


async def find_quote(tx: Reader, quote_id: uuid.UUID, *, partner_id: int | None) -> Quote:
    company_id = await quotes.company_of(tx, quote_id)
    if company_id is None:
        raise NotFound(NO_SUCH_QUOTE)
    quote = await quotes.get(tx, quote_id)
    if partner_id not in {None, quote.partner_id}:
        raise NotFound(NO_SUCH_QUOTE)
    return quote


async def see_quote(tx: Reader, quote_id: uuid.UUID, *, partner_id: int | None) -> QuoteRecord:
    quote = await find_quote(tx, quote_id, partner_id=partner_id)
    seen = await quote_view.see(tx, quote_id, partner_id=quote.partner_id)
    assert seen is not None, "a quote is never deleted"
    return seen


async def broker_of(tx: Reader, seen: QuoteRecord) -> str:
    return (await partners.find_broker_of(tx, seen.quote.submission_id)).email
