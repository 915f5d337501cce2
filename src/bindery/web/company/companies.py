from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from starlette.responses import Response

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import Role
from bindery.domain.quote.standing import CompanyStanding
from bindery.storage.access import users
from bindery.storage.database import Reader
from bindery.storage.lists import company_book
from bindery.storage.lists.company_book import BookPage, Order, Sort
from bindery.storage.lists.company_list import CompanyFilter
from bindery.web.company.companies_shown import CHIPS, capped, emails_of, row_of
from bindery.web.frame import paging
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import PRODUCTS, Times


class Whose(StrEnum):
    """Whose companies a broker sees; the value is that of the address."""

    MINE = "1"
    TEAM = "team"
    EVERYONE = "0"


WHOSE: Final[Mapping[Whose, str]] = {
    Whose.MINE: "Mine",
    Whose.TEAM: "My team's",
    Whose.EVERYONE: "Everyone's",
}
DESCENDING: Final = frozenset({Sort.SINCE, Sort.LIMIT, Sort.PREMIUM})
"""Orders that begin with the largest or newest unless they are turned."""
HEADS: Final[Mapping[Sort | None, str]] = {
    Sort.NAME: "Company",
    None: "Where it stands",
    Sort.LIMIT: "Limit",
    Sort.PREMIUM: "Premium",
    Sort.EFFECTIVE: "Effective",
    Sort.NEXT: "Next step",
    Sort.SINCE: "Submitted",
}
LOST_WHEN_FILTERED: Final = (paging.AFTER, paging.BEFORE)


@dataclass(frozen=True, slots=True)
class ColumnHead:
    text: str
    address: str = ""
    sorted: str = ""
    """How the column is sorted, as `aria-sort` says it; empty if it is not."""


async def show_companies(visit: Visit) -> Response:
    order, asked, whose = order_of(visit), filter_of(visit), whose_of(visit)
    cursor = paging.cursor_of(visit, lambda text: company_book.read_key(text, order))

    async def read(tx: Reader) -> tuple[BookPage, Mapping[str, str], Times]:
        those = await company_book.with_team(tx, asked) if whose is Whose.TEAM else asked
        book = await company_book.page_of_book(tx, those, order, cursor=cursor, limit=paging.ROWS)
        names = await users.names_by_email(tx, emails_of(book.page.rows), role=Role.BROKER)
        return book, names, visit.times(tx.now)

    book, names, times = await visit.runtime.database.read(read)
    is_broker = visit.user.role is Role.BROKER
    return page(
        visit,
        "company/companies.html",
        times=times,
        rows=tuple(row_of(line, times, names) for line in book.page.rows),
        pager=paging.pager_of(visit, book.page, write=company_book.write_key),
        heads={head: _head(visit, head, order) for head in HEADS},
        sorts=Sort,
        order=f"{order.sort}, {'descending' if order.is_descending else 'ascending'}",
        chips=_chips(visit, book, asked.standing),
        segment=_segment(visit, whose) if is_broker else (),
        kept=_kept(visit, "product", *LOST_WHEN_FILTERED),
        product=asked.product or "",
        products=(("", "All products"), *PRODUCTS.items()),
        has_brokers=whose is not Whose.MINE,
        mine=whose is Whose.MINE and is_broker,
        team=whose is Whose.TEAM,
        is_broker=is_broker,
        is_filtered=bool(asked.words or asked.product or asked.standing or cursor),
        words=asked.words,
        turns=("Newer", "Older") if order.is_newest_first else ("Previous", "Next"),
        about=_about(book, order, times),
        csv=_address(visit, "/companies.csv", *LOST_WHEN_FILTERED),
    )


def _about(book: BookPage, order: Order, times: Times) -> str:
    if book.is_whole or order.is_newest_first:
        return f"{paging.ROWS} rows a page \N{MIDDLE DOT} times in {times.zone_name}"
    return f"Sorted among the newest {company_book.MOST_SORTED:,} companies"


def whose_of(visit: Visit) -> Whose:
    asked = visit.word("mine")
    if visit.user.role is not Role.BROKER:
        return Whose.EVERYONE
    return Whose(asked) if asked in set(Whose) else Whose.MINE


def filter_of(visit: Visit) -> CompanyFilter:
    product, standing = visit.word("product"), visit.word("status")
    return CompanyFilter(
        partner_id=visit.partner_id,
        words=visit.word("q"),
        product=InsuranceProduct(product) if product in set(InsuranceProduct) else None,
        standing=CompanyStanding(standing) if standing in set(CompanyStanding) else None,
        broker=None if whose_of(visit) is Whose.EVERYONE else visit.user.email,
        or_secondary=True,
    )


def order_of(visit: Visit) -> Order:
    """Read the order from the address: the name of a column, after a hyphen for the other way round."""
    asked = visit.word("sort")
    name = asked.removeprefix("-")
    if name not in set(Sort):
        return company_book.NEWEST_FIRST
    return Order(Sort(name), (Sort(name) in DESCENDING) is not asked.startswith("-"))


def _head(visit: Visit, sort: Sort | None, order: Order) -> ColumnHead:
    if sort is None:
        return ColumnHead(HEADS[sort])
    is_here = order.sort is sort
    is_usual = order.is_descending is (sort in DESCENDING)
    turned = f"-{sort}" if is_here and is_usual else str(sort)
    direction = "descending" if order.is_descending else "ascending"
    address = _address(visit, "/companies", *LOST_WHEN_FILTERED, sort=turned)
    return ColumnHead(HEADS[sort], address, direction if is_here else "")


def _chips(visit: Visit, book: BookPage, chosen: CompanyStanding | None) -> tuple[ViewLink, ...]:
    return tuple(
        ViewLink(
            address=_address(visit, "/companies", *LOST_WHEN_FILTERED, status=standing or ""),
            text="All" if standing is None else CHIPS[standing],
            is_here=standing is chosen,
            count=capped(book.counts.get(standing, 0), is_whole=book.is_whole),
        )
        for standing in (None, *CHIPS)
        # What is being quoted is so for seconds.
        if standing is not CompanyStanding.QUOTING or chosen is standing or book.counts.get(standing)
    )


def _segment(visit: Visit, whose: Whose) -> tuple[ViewLink, ...]:
    return tuple(
        ViewLink(
            address=_address(visit, "/companies", *LOST_WHEN_FILTERED, mine=choice),
            text=text,
            is_here=choice is whose,
        )
        for choice, text in WHOSE.items()
    )


def _kept(visit: Visit, *without: str) -> tuple[tuple[str, str], ...]:
    """Return what a form of the page sends again of the address."""
    given = visit.request.query_params
    return tuple((name, visit.word(name)) for name in given if name not in without and visit.word(name))


def _address(visit: Visit, path: str, *without: str, **changed: str) -> str:
    """Return the address of this list with some parameters changed; an empty one is left out."""
    empty = [name for name, value in changed.items() if not value]
    url = visit.request.url.include_query_params(**changed).remove_query_params([*without, *empty])
    return f"{path}?{url.query}" if url.query else path
