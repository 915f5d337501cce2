"""The way in, and the search field; both depend on the role."""

import uuid
from collections.abc import Mapping
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.domain.access.users import Role
from bindery.storage.lists import company_list
from bindery.storage.operations import operator_search
from bindery.storage.operations.operator_search import FoundName, FoundQuote, Thing
from bindery.web.company.companies import search_companies
from bindery.web.frame.render import page
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.today.today import show_today

HOME: Final[Mapping[Role, str]] = {
    Role.UNDERWRITER: "/desk",
    Role.OPERATOR: "/ops",
}
PAGES_OF: Final[Mapping[Thing, str]] = {
    Thing.QUOTE: "/ops/journal/",
    Thing.WEBHOOK: "/ops/webhooks/",
    Thing.MAIL: "/ops/mails/",
    Thing.DELIVERY: "/ops/deliveries/",
    Thing.PARTNER: "/ops/partners/",
}


async def search_operations(visit: Visit) -> Response:
    words = visit.word("q")
    quotes: list[FoundQuote] = []
    names: list[FoundName] = []
    async with visit.runtime.database.reading() as tx:
        thing = await operator_search.find_thing(tx, words) if words else None
        if thing is not None and thing[0] is Thing.SUBMISSION:
            quotes = await operator_search.quotes_of(tx, submission_id=uuid.UUID(thing[1]))
        elif thing is not None:
            return RedirectResponse(f"{PAGES_OF[thing[0]]}{thing[1]}", SEE_OTHER)
        elif words:
            company_id = await company_list.find_by_number(tx, words, partner_id=None)
            if company_id is not None:
                quotes = await operator_search.quotes_of(tx, company_id=company_id)
            else:
                names = await operator_search.named(tx, words)
    return page(
        visit,
        "ops/search.html",
        words=words,
        quotes=quotes,
        names=names,
        most=operator_search.MOST_FOUND,
    )


async def go_home(visit: Visit) -> Response:
    if visit.signed_in is not None and visit.user.role is Role.BROKER:
        return await show_today(visit)
    where = "/sign-in" if visit.signed_in is None else HOME[visit.signed_in.user.role]
    return RedirectResponse(where, SEE_OTHER)


async def search(visit: Visit) -> Response:
    is_operator = visit.user.role is Role.OPERATOR
    return await (search_operations(visit) if is_operator else search_companies(visit))
