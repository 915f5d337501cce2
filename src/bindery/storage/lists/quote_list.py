from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from bindery.contract.lists import ListedQuote
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.underwriting import has_price, total_of
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.lists.company_list import MOST_FOUND, named
from bindery.storage.lists.lists import (
    METADATA,
    MOST_LOOKED_AT,
    QUOTE_COLUMNS,
    ListFilter,
    common_fields,
    page_of_walk,
    where_common,
)
from bindery.storage.quote.quotes import from_row

LAST_OPTION: Final = 32_767


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteFilter(ListFilter):
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None


async def list_quotes(
    tx: Reader, asked: QuoteFilter, *, cursor: Cursor | None, limit: int
) -> ListPage[ListedQuote]:
    # One more than asked for; and of the first submission the page before may have shown all options.
    most = limit + 2 if _is_walked_by_all(asked) else MOST_LOOKED_AT
    conditions = Conditions()
    walk = _walk(conditions, asked, cursor, most)
    where_common(conditions, asked)
    conditions.where_if_given("q.updated_at > {}", asked.updated_after)
    if cursor is not None:
        later = "((w.created_at, w.submission_id) < ({}, {}) or q.option_number > {})"
        conditions.where(later, *cursor.key)
    return await page_of_walk(
        tx,
        conditions,
        _listed,
        walk=walk,
        found=f"""
        select {QUOTE_COLUMNS},
               w.created_at as walked_at, s.name, br.email as broker, s.renews,
               coalesce(b.effective, s.effective) as effective,
               coalesce(b.expiration, s.expiration) as expiration,
               b.policy_number, b.fulfil_by, b.issued_on, {METADATA}
        from walked w
        join quotes q on q.submission_id = w.submission_id
                     and q.option_number = coalesce(w.option_number, q.option_number)
        join submissions s on s.submission_id = w.submission_id
        join brokers br using (broker_id)
        left join binds b on b.quote_id = q.quote_id
        {conditions.clause}
        order by w.created_at desc, w.submission_id desc, q.option_number
        """,
        last=f"""
        select created_at as last_walked_at, submission_id as last_submission_id,
               coalesce(option_number, {LAST_OPTION}) as last_option_number
        from walked order by created_at, submission_id, option_number desc
        """,
        key=("walked_at", "submission_id", "option_number"),
        order="walked_at desc, submission_id desc, option_number",
        most=most,
        limit=limit,
    )


def _is_walked_by_all(asked: QuoteFilter) -> bool:
    """Whether the index that is walked along knows all filters, so that no row is looked at in vain."""
    ways = sum(map(bool, (asked.company_id, asked.words, asked.broker))) + len(asked.metadata)
    if asked.updated_after is not None or ways > 1:
        return False
    return ways == 0 or not (asked.statuses or asked.product)


def _walk(conditions: Conditions, asked: QuoteFilter, cursor: Cursor | None, most: int) -> str:
    """Return the rows to look at, the newest first, along the index that narrows them most.

    A company, words, metadata or a broker each have an index of their own, and the first of them that is
    given leads the walk. Without any of them it goes along the index of partner and product, or of partner,
    product and status: one look for each product (and status), whose newest rows are merged. A row is a
    submission, of which all options are looked at; with statuses it is a single option, because the options
    of a submission have statuses of their own. The cursor is the last option of the page before. A walk of
    submissions begins at the submission of that option again (`<=`), and the caller drops the options that
    were shown; a walk of options begins after it.
    """
    bounds = ""
    if asked.created_after is not None:
        bounds += f" and created_at > {conditions.value(asked.created_after)}"
    if asked.created_before is not None:
        bounds += f" and created_at < {conditions.value(asked.created_before)}"
    if cursor is not None:
        at, submission_id = map(conditions.value, cursor.key[:2])
        bounds += f" and (created_at, submission_id) <= ({at}, {submission_id})"
    order = f"order by created_at desc, submission_id desc limit {most}"
    submission = "select created_at, submission_id, null::smallint as option_number"
    if asked.words and asked.company_id is None:
        names = named(conditions, asked.words, asked.partner_id)
        own = f"select * from submissions where {names} limit {MOST_FOUND}"
        return f"{submission} from ({own}) named where true {bounds} {order}"
    partner = conditions.value(asked.partner_id)
    if asked.company_id is not None:
        own = f"company_id = {conditions.value(asked.company_id)} and partner_id = {partner}"
        return f"{submission} from submissions where {own} {bounds} {order}"
    if asked.metadata:
        key, value = map(conditions.value, asked.metadata[0])
        own = f"partner_id = {partner} and key = {key} and value = {value}"
        return f"{submission} from submission_metadata where {own} {bounds} {order}"
    if asked.broker is not None:
        email = conditions.value(asked.broker)
        own = f"select broker_id from brokers where partner_id = {partner} and email = lower({email})"
        return f"{submission} from submissions where broker_id = ({own}) {bounds} {order}"
    # One look into the index for each product and status, of which each gives its newest rows.
    products = conditions.value([asked.product] if asked.product else list(InsuranceProduct))
    each, own = (
        f"unnest({products}::text[]) product(is_)",
        f"partner_id = {partner} and product = product.is_",
    )
    if not asked.statuses:
        rows = f"{submission} from submissions where {own} {bounds} {order}"
        return f"select w.* from {each}, lateral ({rows}) w {order}"
    each = f"{each}, unnest({conditions.value(list(asked.statuses))}::text[]) status(is_)"
    rows = f"select created_at, submission_id, option_number from quotes where {own} and status = status.is_"
    order = f"order by created_at desc, submission_id desc, option_number limit {most}"
    if cursor is not None:
        at, submission_id, option = map(conditions.value, cursor.key)
        later = f"(created_at, submission_id) < ({at}, {submission_id})"
        bounds += f" and ({later} or option_number > {option})"
    return f"select w.* from {each}, lateral ({rows} {bounds} {order}) w {order}"


def _listed(row: asyncpg.Record) -> ListedQuote:
    quote = from_row(row)
    is_priced = has_price(quote)
    ask, terms = quote.ask, quote.terms
    is_conditional = row["policy_number"] is not None and row["issued_on"] is None
    return ListedQuote(
        **common_fields(row, quote),
        aggregate_limit=terms.aggregate_limit if terms else ask.aggregate_limit,
        aggregate_retention=terms.aggregate_retention if terms else ask.aggregate_retention,
        per_claim_limit=terms.per_claim_limit if terms else ask.per_claim_limit or ask.aggregate_limit,
        per_claim_retention=terms.per_claim_retention if terms else ask.per_claim_retention,
        premium=quote.premium if is_priced else None,
        total=float(total_of(quote)) if is_priced else None,
        quote_expiration_date=row["fulfil_by"] if is_conditional else quote.expires_on,
        policy_number=row["policy_number"],
        created_at=quote.created_at,
        updated_at=quote.updated_at,
    )
