"""Lists of quotes, policies and companies."""

from starlette.responses import Response

from bindery.api.call import Call, json_response
from bindery.api.cursors import COMPANY_CURSORS, POLICY_CURSORS, QUOTE_CURSORS
from bindery.api.query import MOST_ROWS, ROWS_UNLESS_ASKED, Query
from bindery.contract.lists import CompaniesResponse, PoliciesResponse, QuotesResponse
from bindery.storage.lists import company_list, policy_list, quote_list
from bindery.storage.lists.company_list import CompanyFilter
from bindery.storage.lists.policy_list import PolicyFilter
from bindery.storage.lists.quote_list import QuoteFilter


async def list_quotes(call: Call) -> Response:
    query = Query(call)
    company_id, is_known = await query.company("company_id")
    asked = QuoteFilter(
        **query.common(),
        company_id=company_id,
        created_after=query.moment("created_after"),
        created_before=query.moment("created_before"),
        updated_after=query.moment("updated_after"),
    )
    cursor, limit = QUOTE_CURSORS.read(query), _limit(query)
    if not is_known:
        return json_response(QuotesResponse(quotes=[], next_cursor=None))
    page = await call.runtime.database.read(
        lambda tx: quote_list.list_quotes(tx, asked, cursor=cursor, limit=limit)
    )
    next_cursor = QUOTE_CURSORS.write(page.next)
    return json_response(QuotesResponse(quotes=list(page.rows), next_cursor=next_cursor))


async def list_policies(call: Call) -> Response:
    query = Query(call)
    company_id, is_known = await query.company("company_id")
    asked = PolicyFilter(
        **query.common(),
        company_id=company_id,
        expires_after=query.day("expires_after"),
        expires_before=query.day("expires_before"),
    )
    cursor, limit = POLICY_CURSORS.read(query), _limit(query)
    if not is_known:
        return json_response(PoliciesResponse(policies=[], next_cursor=None))
    page = await call.runtime.database.read(
        lambda tx: policy_list.list_policies(tx, asked, cursor=cursor, limit=limit)
    )
    next_cursor = POLICY_CURSORS.write(page.next)
    return json_response(PoliciesResponse(policies=list(page.rows), next_cursor=next_cursor))


async def list_companies(call: Call) -> Response:
    query = Query(call)
    asked = CompanyFilter(
        **query.common(),
        created_after=query.moment("created_after"),
        created_before=query.moment("created_before"),
    )
    cursor, limit = COMPANY_CURSORS.read(query), _limit(query)
    page = await call.runtime.database.read(
        lambda tx: company_list.list_companies(tx, asked, cursor=cursor, limit=limit)
    )
    next_cursor = COMPANY_CURSORS.write(page.next)
    return json_response(CompaniesResponse(companies=list(page.rows), next_cursor=next_cursor))


def _limit(query: Query) -> int:
    limit = query.number("limit", unless_given=ROWS_UNLESS_ASKED, most=MOST_ROWS)
    query.check()
    return limit
