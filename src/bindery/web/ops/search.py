"""The search of operators, who find ids, numbers, partners and users, and no applicant by name."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.storage.database import Reader
from bindery.storage.lists import company_list, search
from bindery.storage.lists.search import NUMBERS
from bindery.storage.operations import operator_search
from bindery.storage.operations.operator_search import FoundCompany, FoundName, FoundQuote, Thing
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit

PAGES_OF: Final[Mapping[Thing, str]] = {
    Thing.QUOTE: "/ops/journal/",
    Thing.WEBHOOK: "/ops/webhooks/",
    Thing.MAIL: "/ops/mails/",
    Thing.DELIVERY: "/ops/deliveries/",
    Thing.PARTNER: "/ops/partners/",
}


@dataclass(frozen=True, slots=True)
class _Found:
    """The page of the one thing that has the words as its id, or what is listed."""

    address: str = ""
    quotes: Sequence[FoundQuote] = ()
    companies: Sequence[FoundCompany] = ()
    names: Sequence[FoundName] = ()


async def search_operations(visit: Visit) -> Response:
    words = visit.word("q")
    found = await visit.runtime.database.read(lambda tx: _find(tx, words)) if words else _Found()
    if found.address:
        return RedirectResponse(found.address, SEE_OTHER)
    return page(
        visit,
        "ops/search.html",
        words=words,
        quotes=found.quotes,
        companies=found.companies,
        names=found.names,
        most=operator_search.MOST_FOUND,
    )


async def _find(tx: Reader, words: str) -> _Found:
    thing = await operator_search.find_thing(tx, words)
    if thing is not None and thing[0] is Thing.SUBMISSION:
        return _Found(quotes=await operator_search.quotes_of(tx, submission_id=uuid.UUID(thing[1])))
    if thing is not None:
        return _Found(f"{PAGES_OF[thing[0]]}{thing[1]}")
    companies = await _companies(tx, words)
    if len(companies) == 1:
        quotes = await operator_search.quotes_of(tx, company_id=companies[0].company_id)
        return _Found(companies=companies, quotes=quotes)
    return _Found(companies=companies, names=() if companies else await operator_search.named(tx, words))


async def _companies(tx: Reader, words: str) -> list[FoundCompany]:
    """Find companies by their number or a policy's, whole or in part."""
    company_id = await company_list.find_by_number(tx, words, partner_id=None)
    if company_id is not None:
        return await operator_search.companies_of(tx, {company_id: words})
    found = await search.search(tx, words, partner_id=None, kinds=NUMBERS)
    return await operator_search.companies_of(tx, {hit.company_id: hit.text for hit in found.hits})
