"""What the lists of quotes and of policies, and the feed, have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import asyncpg
import msgspec

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.storage.company_list import words_query
from bindery.storage.conditions import Conditions
from bindery.storage.quotes import COLUMNS
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

Row = TypeVar("Row")
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row, Place]):
    """A page of a list; `next` is where the one after it begins, None on the last one."""

    rows: Sequence[Row]
    next: Place | None


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


def hold_common(conditions: Conditions, asked: ListFilter) -> None:
    """Add what quotes (q), their submissions (s) and brokers (br) have to be in either list."""
    if asked.statuses:
        conditions.hold("q.status = any({}::text[])", list(asked.statuses))
    conditions.hold_given("q.product = {}", asked.product)
    conditions.hold_given("br.email = lower({})", asked.broker)
    if asked.words:
        query = conditions.value(words_query(asked.words))
        conditions.hold(f"words_of(s.name) @@ to_tsquery('simple', {query})")
    for key, value in asked.metadata:
        conditions.hold(
            "exists (select from submission_metadata m where m.submission_id = s.submission_id "
            "and m.key = {} and m.value = {})",
            key,
            value,
        )


def metadata_of(row: asyncpg.Record) -> dict[str, Any] | None:
    """Return the metadata of a listed row as the partner gave it."""
    return msgspec.json.decode(row["metadata"]) if row["metadata"] else None
