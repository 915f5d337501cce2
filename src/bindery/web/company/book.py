"""Finding companies and quotes for a user: `partner_id` limits them to one partner, None to nobody's."""

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
    """Return the quotes of a company.

    Raises:
        NotFound: there is no such company for this user.
    """
    seen = await quote_view.see_company(tx, company_id)
    if not seen or partner_id not in {None, seen[0].quote.partner_id}:
        raise NotFound(NO_SUCH_COMPANY)
    return seen


async def find_quote(tx: Reader, quote_id: uuid.UUID, *, partner_id: int | None) -> Quote:
    """Return a quote.

    Raises:
        NotFound: there is no such quote for this user.
    """
    company_id = await quotes.company_of(tx, quote_id)
    if company_id is None:
        raise NotFound(NO_SUCH_QUOTE)
    quote = await quotes.get(tx, quote_id)
    if partner_id not in {None, quote.partner_id}:
        raise NotFound(NO_SUCH_QUOTE)
    return quote


async def see_quote(tx: Reader, quote_id: uuid.UUID, *, partner_id: int | None) -> QuoteRecord:
    """Return a quote with everything that pages show of it.

    Raises:
        NotFound: there is no such quote for this user.
    """
    quote = await find_quote(tx, quote_id, partner_id=partner_id)
    seen = await quote_view.see(tx, quote_id, partner_id=quote.partner_id)
    assert seen is not None, "a quote is never deleted"
    return seen


async def broker_of(tx: Reader, seen: QuoteRecord) -> str:
    return (await partners.find_broker_of(tx, seen.quote.submission_id)).email
