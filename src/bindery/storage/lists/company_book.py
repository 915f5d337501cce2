"""A page of the companies list in any order, and how many companies stand where.

Every order but the newest first needs facts of the quotes, which no index of companies has. So the newest
companies that a user may see, up to a limit, are read with those facts, and counted, filtered and sorted
here: a book within the limit is exact in every way. Of a larger one the newest first still leads through all.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Any, Final

from bindery.base.clock import read_moment
from bindery.contract.lists import ListedCompany
from bindery.domain.quote.standing import CompanyStanding
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of
from bindery.storage.lists.company_lines import CompanyLine, lines_of
from bindery.storage.lists.company_list import CompanyFilter, list_companies, newest_of_brokers

MOST_SORTED: Final = 1_000
MOST_LOOKED_AT: Final = 1_000
"""How many of a broker's newest submissions are looked at for the colleagues that they name."""
MOST_IN_TEAM: Final = 50
_SEPARATOR: Final = "_"


class Sort(StrEnum):
    SINCE = "since"
    NAME = "name"
    LIMIT = "limit"
    PREMIUM = "premium"
    EFFECTIVE = "effective"
    NEXT = "next"


_Value = datetime | date | str | int | None


@dataclass(frozen=True, slots=True)
class Order:
    sort: Sort = Sort.SINCE
    is_descending: bool = True

    @property
    def is_newest_first(self) -> bool:
        return self.sort is Sort.SINCE and self.is_descending


NEWEST_FIRST: Final = Order()


def next_at(line: CompanyLine) -> datetime | None:
    """Return when a company's next step is due, if it has one; a day counts from its beginning."""
    day: date | None = None
    match line.standing:
        case CompanyStanding.BIND_REQUESTED | CompanyStanding.REFERRED:
            return line.due_at
        case CompanyStanding.BINDER | CompanyStanding.OPEN:
            day = line.until
        case CompanyStanding.IN_FORCE:
            day = line.ended_on or line.expiration
        case CompanyStanding.QUOTING | CompanyStanding.OVER:
            pass
    return datetime.combine(day, time.min, UTC) if day else None


_KEYS: Final[Mapping[Sort, Callable[[CompanyLine], _Value]]] = {
    Sort.SINCE: lambda line: line.created_at,
    Sort.NAME: lambda line: line.name.casefold(),
    Sort.LIMIT: lambda line: line.most_limit,
    Sort.PREMIUM: lambda line: line.most_premium,
    Sort.EFFECTIVE: lambda line: line.effective,
    Sort.NEXT: next_at,
}


def _date(text: str) -> date | None:
    moment = read_moment(f"{text}T00:00:00Z")
    return moment.date() if moment else None


_READ: Final[Mapping[Sort, Callable[[str], _Value]]] = {
    Sort.SINCE: read_moment,
    Sort.NAME: str,
    Sort.LIMIT: lambda text: int(text) if text.isascii() and text.isdecimal() else None,
    Sort.PREMIUM: lambda text: int(text) if text.isascii() and text.isdecimal() else None,
    Sort.EFFECTIVE: _date,
    Sort.NEXT: read_moment,
}


def write_key(key: tuple[_Value, int]) -> str:
    value, company_id = key
    text = value.isoformat() if isinstance(value, date) else "" if value is None else str(value)
    return f"{text}{_SEPARATOR}{company_id}"


def read_key(text: str, order: Order) -> tuple[_Value, int] | None:
    """Read the key of a row as the pager wrote it; None for one that no row of this order has."""
    written, _, number = text.rpartition(_SEPARATOR)
    if not (number.isascii() and number.isdecimal() and len(number) <= len("999999999")):
        return None
    value = _READ[order.sort](written)
    return (value, int(number)) if value is not None or not written else None


def page_in_order(
    lines: Sequence[CompanyLine], order: Order, *, cursor: Cursor | None, limit: int
) -> ListPage[CompanyLine]:
    """Sort lines and return the page after or before a key; those without a value come last."""
    value_of, is_descending = _KEYS[order.sort], order.is_descending

    def rank(value: _Value, company_id: int) -> tuple[bool, Any, int]:
        # Read from the end when descending: what has no value then ranks lowest, otherwise highest.
        return (value is None) is not is_descending, 0 if value is None else value, company_id

    def key(line: CompanyLine) -> tuple[_Value, int]:
        return value_of(line), line.company_id

    ordered = sorted(lines, key=lambda line: rank(*key(line)), reverse=is_descending)
    if cursor is None:
        return page_of(ordered[: limit + 1], cursor=None, limit=limit, key=key)
    place = rank(*cursor.key)
    is_later = is_descending is cursor.backward
    found = [line for line in ordered if (rank(*key(line)) > place if is_later else rank(*key(line)) < place)]
    read = found[::-1] if cursor.backward else found
    return page_of(read[: limit + 1], cursor=cursor, limit=limit, key=key)


@dataclass(frozen=True, slots=True)
class BookPage:
    """A page, and the counts of the chips; `is_whole` says whether all companies were counted and sorted."""

    page: ListPage[CompanyLine]
    counts: Mapping[CompanyStanding | None, int]
    is_whole: bool


async def page_of_book(
    tx: Reader, asked: CompanyFilter, order: Order, *, cursor: Cursor | None, limit: int
) -> BookPage:
    company_ids = await _newest(tx, asked)
    is_whole = len(company_ids) <= MOST_SORTED
    lines = await lines_of(tx, company_ids[:MOST_SORTED])
    of_product = [line for line in lines if asked.product is None or asked.product in line.all_products]
    counts: Counter[CompanyStanding | None] = Counter(
        standing for line in of_product for standing in _chips(line)
    )
    counts[None] = len(of_product)
    if asked.words or (order.is_newest_first and not is_whole):
        found = await list_companies(tx, asked, cursor=cursor, limit=limit)
        page = await _with_lines(tx, found, {line.company_id: line for line in lines})
    else:
        matched = [line for line in of_product if asked.standing in {None, *_chips(line)}]
        page = page_in_order(matched, order, cursor=cursor, limit=limit)
    return BookPage(page, counts, is_whole)


def _chips(line: CompanyLine) -> frozenset[CompanyStanding]:
    """Return under which chips a company is found: what is over counts where nothing else is open."""
    return line.standings - {CompanyStanding.OVER} or line.standings


async def _newest(tx: Reader, asked: CompanyFilter) -> list[int]:
    if asked.broker is not None:
        return await newest_of_brokers(tx, asked, most=MOST_SORTED)
    own = "where partner_id = $1" if asked.partner_id is not None else "where $1::int is null"
    statement = f"select company_id from companies {own} order by created_at desc limit {MOST_SORTED + 1}"
    return await tx.column(int, statement, asked.partner_id)


async def _with_lines(
    tx: Reader, found: ListPage[ListedCompany], known: Mapping[int, CompanyLine]
) -> ListPage[CompanyLine]:
    company_ids = [int(row.company_id) for row in found.rows]
    missing = [company_id for company_id in company_ids if company_id not in known]
    read = {line.company_id: line for line in await lines_of(tx, missing)} if missing else {}
    rows = [known.get(company_id) or read[company_id] for company_id in company_ids]
    return ListPage(rows, found.previous, found.next)


async def with_team(tx: Reader, asked: CompanyFilter) -> CompanyFilter:
    """Add the colleagues with whom a broker shares companies, one of the two as the secondary broker."""
    assert asked.broker is not None, "a broker asks for the team"
    statement = f"""
    select distinct email from (
        (select b.email from submissions s join brokers b using (broker_id)
         where s.partner_id = $1 and s.secondary_broker_email = $2
         order by s.created_at desc limit {MOST_LOOKED_AT})
        union all
        (select s.secondary_broker_email from submissions s
         where s.broker_id = (select broker_id from brokers where partner_id = $1 and email = $2)
         order by s.created_at desc limit {MOST_LOOKED_AT})
    ) colleagues where email <> $2 order by email limit {MOST_IN_TEAM}
    """
    colleagues = await tx.column(str, statement, asked.partner_id, asked.broker.lower())
    return replace(asked, team=tuple(colleagues))
