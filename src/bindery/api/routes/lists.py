"""Lists of quotes, policies and companies."""

from starlette.responses import Response

from bindery.api.call import Call, json_response
from bindery.api.list_filters import MOST_ROWS, ROWS_UNLESS_ASKED, Filters
from bindery.api.query import COMPANY_CURSORS, POLICY_CURSORS, QUOTE_CURSORS, whole_number
from bindery.contract.lists import CompaniesResponse, PoliciesResponse, QuotesResponse
from bindery.storage.lists import company_list, policy_list, quote_list
from bindery.storage.lists.company_list import CompanyFilter
from bindery.storage.lists.policy_list import PolicyFilter
from bindery.storage.lists.quote_list import QuoteFilter


async def list_quotes(call: Call) -> Response:
    filters = Filters(call)
    company_id, is_known = await filters.company("company_id")
    asked = QuoteFilter(
        **filters.common(),
        company_id=company_id,
        created_after=filters.moment("created_after"),
        created_before=filters.moment("created_before"),
        updated_after=filters.moment("updated_after"),
    )
    cursor, limit = QUOTE_CURSORS.read(call), _limit(filters)
    if not is_known:
        return json_response(QuotesResponse(quotes=[], next_cursor=None))
    async with call.runtime.database.reading() as tx:
        page = await quote_list.list_quotes(tx, asked, cursor=cursor, limit=limit)
    next_cursor = QUOTE_CURSORS.write(page.next)
    return json_response(QuotesResponse(quotes=list(page.rows), next_cursor=next_cursor))


async def list_policies(call: Call) -> Response:
    filters = Filters(call)
    company_id, is_known = await filters.company("company_id")
    asked = PolicyFilter(
        **filters.common(),
        company_id=company_id,
        expires_after=filters.day("expires_after"),
        expires_before=filters.day("expires_before"),
    )
    cursor, limit = POLICY_CURSORS.read(call), _limit(filters)
    if not is_known:
        return json_response(PoliciesResponse(policies=[], next_cursor=None))
    async with call.runtime.database.reading() as tx:
        page = await policy_list.list_policies(tx, asked, cursor=cursor, limit=limit)
    next_cursor = POLICY_CURSORS.write(page.next)
    return json_response(PoliciesResponse(policies=list(page.rows), next_cursor=next_cursor))


async def list_companies(call: Call) -> Response:
    filters = Filters(call)
    asked = CompanyFilter(
        **filters.common(),
        created_after=filters.moment("created_after"),
        created_before=filters.moment("created_before"),
    )
    cursor, limit = COMPANY_CURSORS.read(call), _limit(filters)
    async with call.runtime.database.reading() as tx:
        page = await company_list.list_companies(tx, asked, cursor=cursor, limit=limit)
    next_cursor = COMPANY_CURSORS.write(page.next)
    return json_response(CompaniesResponse(companies=list(page.rows), next_cursor=next_cursor))


def _limit(filters: Filters) -> int:
    limit = whole_number(filters.call, "limit", unless_given=ROWS_UNLESS_ASKED, most=MOST_ROWS)
    filters.check()
    return limit
