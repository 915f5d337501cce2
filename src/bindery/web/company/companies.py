from collections.abc import Mapping
from datetime import date, datetime
from typing import Final
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from bindery.base.clock import read_moment
from bindery.contract.lists import ListedCompany
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.access.users import Role
from bindery.storage.lists import company_list
from bindery.storage.lists.company_list import CompanyFilter
from bindery.storage.policy import policies
from bindery.web.frame import paging
from bindery.web.frame.render import page, spreadsheet
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number
from bindery.web.shown.words import PRODUCTS, STATUS_WORDS, StatusWord, product_name, status_word

MOST_ROWS_OF_CSV: Final = 10_000
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a formula begins; some spreadsheets take the full-width forms of these characters too."""


async def show_companies(visit: Visit) -> Response:
    asked, cursor = _filter(visit), paging.cursor_of(visit, _read_key)
    async with visit.runtime.database.reading() as tx:
        found = await company_list.list_companies(tx, asked, cursor=cursor, limit=paging.ROWS)
        ahead = await policies.canceled_ahead(tx, [int(row.company_id) for row in found.rows])
    return page(
        visit,
        "company/companies.html",
        times=visit.times(tx.now),
        rows=found.rows,
        words={row.company_id: _words(row, ahead) for row in found.rows},
        pager=paging.pager_of(visit, found, write=lambda key: f"{key[0].isoformat()}_{key[1]}"),
        asked=asked,
        asked_status=visit.word("status"),
        mine=_is_mine(visit),
        is_filtered=bool(asked.words or asked.product or asked.statuses or cursor),
        is_broker=visit.user.role is Role.BROKER,
        products=tuple(PRODUCTS.items()),
        statuses=_statuses(),
        csv=f"/companies.csv?{visit.request.url.remove_query_params([paging.AFTER, paging.BEFORE]).query}",
    )


async def send_csv(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        found = await company_list.list_companies(
            tx, _filter(visit), cursor=paging.cursor_of(visit, _read_key), limit=MOST_ROWS_OF_CSV
        )
        ahead = await policies.canceled_ahead(tx, [int(row.company_id) for row in found.rows])
    times = visit.times(tx.now)
    heads = ["Company", "Name", "Products", "Statuses", "Broker", f"Submitted ({times.zone_name})"]
    rows: list[list[str]] = [heads]
    for row in found.rows:
        statuses = "; ".join(word.text for word in _words(row, ahead))
        products = ", ".join(map(product_name, row.insurance_products))
        cells = [row.company_id, row.name, products, statuses, row.broker_email]
        rows.append([*map(_harmless, cells), row.created_at.astimezone(times.zone).date().isoformat()])
    return spreadsheet("companies", rows)


async def search_companies(visit: Visit) -> Response:
    words = visit.word("q")
    async with visit.runtime.database.reading() as tx:
        company_id = await company_list.find_by_number(tx, words, partner_id=visit.partner_id)
    where = "/companies" if company_id is None else f"/company/{company_id}"
    if company_id is None and words:
        mine = "" if visit.user.role is not Role.BROKER else "&mine=0"
        return RedirectResponse(f"/companies?{urlencode({'q': words})}{mine}", SEE_OTHER)
    return RedirectResponse(where, SEE_OTHER)


def _filter(visit: Visit) -> CompanyFilter:
    product, status = visit.word("product"), visit.word("status")
    return CompanyFilter(
        partner_id=visit.partner_id,
        words=visit.word("q"),
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        statuses=tuple(status_ for status_, word in STATUS_WORDS.items() if status and word.text == status),
        broker=visit.user.email if _is_mine(visit) else None,
        or_secondary=True,
    )


def _is_mine(visit: Visit) -> bool:
    return visit.user.role is Role.BROKER and visit.word("mine") != "0"


def _read_key(text: str) -> tuple[datetime, int] | None:
    at, _, number = text.partition("_")
    moment = read_moment(at)
    company_id = read_number(number)
    return (moment, company_id) if company_id is not None and moment is not None else None


def _statuses() -> tuple[str, ...]:
    return tuple(dict.fromkeys(STATUS_WORDS[status].text for status in QuoteStatus))


def _words(row: ListedCompany, ahead: Mapping[int, date]) -> tuple[StatusWord, ...]:
    """Return the statuses of a company's quotes, one canceled from a later day on as still in force."""
    canceled = {QuoteStatus.POLICY_CANCELED: ahead.get(int(row.company_id))}
    return tuple(
        dict.fromkeys(
            status_word(status, canceled_ahead=canceled.get(status)) for status in row.quote_statuses
        )
    )


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
