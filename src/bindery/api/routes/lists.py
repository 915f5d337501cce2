"""Lists of quotes, policies and companies."""

from datetime import UTC

from starlette.responses import Response

from bindery.api import cursors
from bindery.api.call import Call, json_response
from bindery.api.list_filters import MOST_ROWS, ROWS_UNLESS_ASKED, Filters
from bindery.api.query import whole_number
from bindery.contract import lists
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.price import has_price, total_of
from bindery.storage import company_list, policy_list, quote_list
from bindery.storage.company_list import CompanyFilter
from bindery.storage.policy_list import PolicyFilter
from bindery.storage.quote_list import QuoteFilter


async def list_quotes(call: Call) -> Response:
    """Answer with a page of the partner's quotes, the newest submission first."""
    filters = Filters(call)
    company_id, is_known = await filters.company("company_id")
    asked = QuoteFilter(
        **filters.common(),
        company_id=company_id,
        created_after=filters.moment("created_after"),
        created_before=filters.moment("created_before"),
        updated_after=filters.moment("updated_after"),
        after=cursors.QUOTES.read(call),
    )
    limit = _limit(filters)
    if not is_known:
        return json_response(lists.QuotesResponse(quotes=[], next_cursor=None))
    async with call.runtime.database.reading() as tx:
        page = await quote_list.list_quotes(tx, asked, limit=limit)
    shown, next_cursor = [_quote(row) for row in page.rows], cursors.QUOTES.write(page.next)
    return json_response(lists.QuotesResponse(quotes=shown, next_cursor=next_cursor))


async def list_policies(call: Call) -> Response:
    """Answer with a page of the partner's policies, the newest bind first."""
    filters = Filters(call)
    company_id, is_known = await filters.company("company_id")
    asked = PolicyFilter(
        **filters.common(),
        company_id=company_id,
        expires_after=filters.day("expires_after"),
        expires_before=filters.day("expires_before"),
        after=cursors.POLICIES.read(call),
    )
    limit = _limit(filters)
    if not is_known:
        return json_response(lists.PoliciesResponse(policies=[], next_cursor=None))
    async with call.runtime.database.reading() as tx:
        page = await policy_list.list_policies(tx, asked, limit=limit)
    shown, next_cursor = [_policy(row) for row in page.rows], cursors.POLICIES.write(page.next)
    return json_response(lists.PoliciesResponse(policies=shown, next_cursor=next_cursor))


async def list_companies(call: Call) -> Response:
    """Answer with a page of the partner's companies, the newest first."""
    filters = Filters(call)
    asked = CompanyFilter(
        **filters.common(),
        created_after=filters.moment("created_after"),
        created_before=filters.moment("created_before"),
        after=cursors.COMPANIES.read(call),
    )
    limit = _limit(filters)
    async with call.runtime.database.reading() as tx:
        found = await company_list.list_companies(tx, asked, limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    next_cursor = cursors.COMPANIES.write((last.created_at, last.company_id) if last else None)
    shown = [_company(row) for row in found[:limit]]
    return json_response(lists.CompaniesResponse(companies=shown, next_cursor=next_cursor))


def _limit(filters: Filters) -> int:
    """Return how many rows are asked for; refuse the request where any filter is wrong."""
    limit = whole_number(filters.call, "limit", unless_given=ROWS_UNLESS_ASKED, most=MOST_ROWS)
    filters.check()
    return limit


def _quote(row: quote_list.ListedQuote) -> lists.ListedQuote:
    quote, is_priced = row.quote, has_price(row.quote)
    ask, terms = quote.ask, quote.terms
    is_conditional = row.policy_number is not None and row.issued_on is None
    return lists.ListedQuote(
        quote_identifier=str(quote.quote_id),
        company_id=str(quote.company_id),
        name=row.name,
        broker_email=row.broker,
        insurance_product=quote.product,
        quote_status=quote.status,
        aggregate_limit=terms.aggregate_limit if terms else ask.aggregate_limit,
        aggregate_retention=terms.aggregate_retention if terms else ask.aggregate_retention,
        per_claim_limit=terms.per_claim_limit if terms else ask.per_claim_limit or ask.aggregate_limit,
        per_claim_retention=terms.per_claim_retention if terms else ask.per_claim_retention,
        premium=quote.premium if is_priced else None,
        total=float(total_of(quote)) if is_priced else None,
        quote_expiration_date=row.fulfil_by if is_conditional else quote.expires_on,
        policy_number=row.policy_number,
        dates=lists.TermDates(effective=row.effective, expiration=row.expiration),
        renews=str(row.renews) if row.renews else None,
        created_at=quote.created_at.astimezone(UTC),
        updated_at=quote.updated_at.astimezone(UTC),
        metadata=row.metadata,
    )


def _policy(row: policy_list.ListedPolicy) -> lists.ListedPolicy:
    quote = row.quote
    is_conditional = row.issued_on is None
    return lists.ListedPolicy(
        policy_number=row.policy_number,
        quote_identifier=str(quote.quote_id),
        company_id=str(quote.company_id),
        name=row.name,
        broker_email=row.broker,
        insurance_product=quote.product,
        quote_status=quote.status,
        conditional=is_conditional,
        fulfil_by=row.fulfil_by if is_conditional else None,
        dates=lists.TermDates(effective=row.effective, expiration=row.expiration),
        bound_on=row.bound_on,
        ended_on=row.ended_on,
        premium=quote.premium or 0,
        total=float(total_of(quote)),
        renewal_type=row.renewal_type,
        renews=str(row.renews) if row.renews else None,
        renewed_by=str(row.renewal_quote_id) if row.renewal_quote_id else None,
        metadata=row.metadata,
    )


def _company(row: company_list.ListedCompany) -> lists.ListedCompany:
    return lists.ListedCompany(
        company_id=str(row.company_id),
        name=row.name,
        broker_email=row.broker,
        insurance_products=[InsuranceProduct(product) for product in row.products],
        quote_statuses=list(row.statuses),
        created_at=row.created_at.astimezone(UTC),
    )
