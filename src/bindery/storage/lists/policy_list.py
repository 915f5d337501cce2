"""Lists of policies for partners: the newest bind first."""

from dataclasses import dataclass
from datetime import date

import asyncpg

from bindery.contract.lists import ListedPolicy
from bindery.domain.quote.underwriting import total_of
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage
from bindery.storage.lists.lists import (
    METADATA,
    MOST_LOOKED_AT,
    QUOTE_COLUMNS,
    ListFilter,
    common_fields,
    where_common,
)
from bindery.storage.quote.quotes import from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFilter(ListFilter):
    """Which policies of a partner; what is empty or None leaves a filter out."""

    expires_after: date | None = None
    expires_before: date | None = None


async def list_policies(
    tx: Reader, asked: PolicyFilter, *, cursor: Cursor | None, limit: int
) -> ListPage[ListedPolicy]:
    """Return a page of a partner's policies, keyed by the time of the bind and the quote."""
    conditions = Conditions()
    is_filtered = _filter(conditions, asked)
    where = conditions.clause
    most = MOST_LOOKED_AT if is_filtered else limit + 1
    own = f"partner_id = {conditions.value(asked.partner_id)} and policy_number is not null"
    if asked.company_id is not None:
        own += f" and company_id = {conditions.value(asked.company_id)}"
    if cursor is not None:
        own += f" and (asked_at, quote_id) < ({', '.join(map(conditions.value, cursor.key))})"
    rows = await tx.connection.fetch(
        f"""
        with walked as materialized (
            select * from binds where {own} order by asked_at desc, quote_id desc limit {most}
        ), found as (
            select {QUOTE_COLUMNS},
                   b.asked_at, b.policy_number, s.name, br.email as broker, b.effective, b.expiration,
                   b.bound_on, b.fulfil_by, b.issued_on, b.ended_on, b.renewal_type, s.renews,
                   b.renewal_quote_id, {METADATA}
            from walked b
            join quotes q using (quote_id)
            join submissions s using (submission_id)
            join brokers br using (broker_id)
            {where}
            order by b.asked_at desc, b.quote_id desc limit {limit + 1}
        )
        select found.*, counted.*, last.*
        from (select count(*) as walked from walked) counted
        left join (select asked_at as last_at, quote_id as last_quote
                   from walked order by asked_at, quote_id limit 1) last on true
        left join found on true
        order by asked_at desc, quote_id desc
        """,
        *conditions.values,
    )
    found = [row for row in rows if row["quote_id"] is not None]
    following = None
    if len(found) > limit:
        following = found[limit - 1]["asked_at"], found[limit - 1]["quote_id"]
    elif rows[0]["walked"] == most:
        following = rows[0]["last_at"], rows[0]["last_quote"]
    return ListPage([_listed(row) for row in found[:limit]], next=following)


def _filter(conditions: Conditions, asked: PolicyFilter) -> bool:
    """Add what the policies that were looked at have to be, and return whether that is anything."""
    where_common(conditions, asked)
    conditions.where_if_given("b.expiration > {}", asked.expires_after)
    conditions.where_if_given("b.expiration < {}", asked.expires_before)
    return bool(conditions.values)


def _listed(row: asyncpg.Record) -> ListedPolicy:
    quote = from_row(row)
    is_conditional = row["issued_on"] is None
    renewal_quote_id = row["renewal_quote_id"]
    return ListedPolicy(
        **common_fields(row, quote),
        policy_number=row["policy_number"],
        conditional=is_conditional,
        fulfil_by=row["fulfil_by"] if is_conditional else None,
        bound_on=row["bound_on"],
        ended_on=row["ended_on"],
        premium=quote.premium or 0,
        total=float(total_of(quote)),
        renewal_type=row["renewal_type"],
        renewed_by=str(renewal_quote_id) if renewal_quote_id else None,
    )
