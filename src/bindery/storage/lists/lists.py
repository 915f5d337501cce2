from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypedDict, TypeVar

import asyncpg
import msgspec

from bindery.contract.lists import TermDates
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.quote.quote import Quote
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader, of_table
from bindery.storage.list_pages import ListPage
from bindery.storage.lists.company_list import words_query
from bindery.storage.quote.quotes import COLUMNS

MOST_LOOKED_AT: Final = 1_000
"""How many rows one page looks at for filters that no index knows: it may be short, and the next one
continues."""
QUOTE_COLUMNS: Final = of_table("q", COLUMNS)
METADATA: Final = """
    case when strpos(s.body, '"metadata"') > 0 or strpos(s.body, '\\u00') > 0
         then (s.body::json #> '{client,metadata}')::text end as metadata
"""
"""Hardly any body has metadata; looking for the word, or a spelling of it, is cheaper than reading JSON."""

_Listed = TypeVar("_Listed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    partner_id: int
    statuses: tuple[QuoteStatus, ...] = ()
    product: InsuranceProduct | None = None
    company_id: int | None = None
    broker: str | None = None
    words: str = ""
    metadata: tuple[tuple[str, str], ...] = ()


def where_common(conditions: Conditions, asked: ListFilter) -> None:
    """Add what quotes (q), their submissions (s) and brokers (br) have to be in either list."""
    if asked.statuses:
        conditions.where("q.status = any({}::text[])", list(asked.statuses))
    conditions.where_if_given("q.product = {}", asked.product)
    conditions.where_if_given("br.email = lower({})", asked.broker)
    if asked.words:
        query = conditions.value(words_query(asked.words))
        conditions.where(f"words_of(s.name) @@ to_tsquery('simple', {query})")
    for key, value in asked.metadata:
        conditions.where(
            "exists (select from submission_metadata m where m.submission_id = s.submission_id "
            "and m.key = {} and m.value = {})",
            key,
            value,
        )


# A page is read by walking along an index. `walk` selects the next rows of the index, the newest first and at
# most `most` of them; `found` joins their quotes and keeps those that match the filters that the index does
# not know. The page ends after `limit` matches. With fewer, it ends where the walk did: if the walk took all
# its `most` rows there may be more, so the next page begins after the last row walked, even if this page is
# short or empty. One statement returns both the matches and that last row.
async def page_of_walk(
    tx: Reader,
    conditions: Conditions,
    listed: Callable[[asyncpg.Record], _Listed],
    *,
    walk: str,
    found: str,
    last: str,
    key: Sequence[str],
    order: str,
    most: int,
    limit: int,
) -> ListPage[_Listed]:
    """Read a page of a walk; `last` selects the end of the walk, with the columns of the key as `last_…`."""
    statement = f"""
    with walked as materialized ({walk}), found as ({found} limit {limit + 1})
    select found.*, counted.*, last.*
    from (select count(*) as walked from walked) counted
    left join ({last} limit 1) last on true
    left join found on true
    order by {order}
    """
    rows = await tx.connection.fetch(statement, *conditions.values)
    matches = [row for row in rows if row["quote_id"] is not None]
    following = None
    if len(matches) > limit:
        following = tuple(matches[limit - 1][column] for column in key)
    elif rows[0]["walked"] == most:
        following = tuple(rows[0][f"last_{column}"] for column in key)
    return ListPage([listed(row) for row in matches[:limit]], next=following)


class CommonFields(TypedDict):
    quote_identifier: str
    company_id: str
    name: str
    broker_email: str
    insurance_product: InsuranceProduct
    quote_status: QuoteStatus
    dates: TermDates
    renews: str | None
    metadata: dict[str, Any] | None


def common_fields(row: asyncpg.Record, quote: Quote) -> CommonFields:
    return CommonFields(
        quote_identifier=str(quote.quote_id),
        company_id=str(quote.company_id),
        name=row["name"],
        broker_email=row["broker"],
        insurance_product=quote.product,
        quote_status=quote.status,
        dates=TermDates(effective=row["effective"], expiration=row["expiration"]),
        renews=str(row["renews"]) if row["renews"] else None,
        metadata=metadata_of(row),
    )


def metadata_of(row: asyncpg.Record) -> dict[str, Any] | None:
    return msgspec.json.decode(row["metadata"]) if row["metadata"] else None
