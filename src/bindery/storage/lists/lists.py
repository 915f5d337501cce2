"""What the lists of quotes and of policies, and the feed, have in common."""

from dataclasses import dataclass
from typing import Any, Final, TypedDict

import asyncpg
import msgspec

from bindery.contract.lists import TermDates
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.quote.quote import Quote
from bindery.storage.conditions import Conditions
from bindery.storage.lists.company_list import words_query
from bindery.storage.quote.quotes import COLUMNS
from bindery.storage.records import of_table

MOST_LOOKED_AT: Final = 1_000
"""How many rows one page looks at for filters that no index knows: it may be short, and the next one
continues."""
QUOTE_COLUMNS: Final = of_table("q", COLUMNS)
METADATA: Final = """
    case when strpos(s.body, '"metadata"') > 0 or strpos(s.body, '\\u00') > 0
         then (s.body::json #> '{client,metadata}')::text end as metadata
"""
"""Hardly any body has metadata; looking for the word, or a spelling of it, is cheaper than reading JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """Which quotes or policies of a partner; what is empty or None leaves a filter out."""

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


class CommonFields(TypedDict):
    """The fields that a listed quote and a listed policy have in common."""

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
    """Return what a row of either list shows of its quote, submission and broker."""
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
    """Return the metadata of a listed row as the partner gave it."""
    return msgspec.json.decode(row["metadata"]) if row["metadata"] else None
