"""Lists of policies for partners: the newest bind first."""

import uuid
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import asyncpg

from bindery.domain.quote.quote import Quote
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.lists import (
    METADATA,
    MOST_LOOKED_AT,
    QUOTE_COLUMNS,
    ListFilter,
    Page,
    hold_common,
    metadata_of,
)
from bindery.storage.quotes import from_row
from bindery.storage.records import read_row

PolicyPlace = tuple[datetime, uuid.UUID]
"""A place in the list of policies: after the bind of this moment and quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFilter(ListFilter):
    """Which policies of a partner; what is empty or None leaves a filter out."""

    expires_after: date | None = None
    expires_before: date | None = None
    after: PolicyPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPolicy:
    """A policy of a list, with what is shown in addition to its quote."""

    quote: Quote
    policy_number: str
    name: str
    broker: str
    effective: date
    expiration: date
    bound_on: date
    fulfil_by: date | None
    issued_on: date | None
    ended_on: date | None
    renewal_type: str
    renews: uuid.UUID | None
    renewal_quote_id: uuid.UUID | None
    metadata: dict[str, Any] | None


async def list_policies(tx: Reader, asked: PolicyFilter, *, limit: int) -> Page[ListedPolicy, PolicyPlace]:
    """Return a page of a partner's policies."""
    conditions = Conditions()
    is_filtered = _filter(conditions, asked)
    where = conditions.where
    most = MOST_LOOKED_AT if is_filtered else limit + 1
    own = f"partner_id = {conditions.value(asked.partner_id)} and policy_number is not null"
    if asked.company_id is not None:
        own += f" and company_id = {conditions.value(asked.company_id)}"
    if asked.after is not None:
        own += f" and (asked_at, quote_id) < ({', '.join(map(conditions.value, asked.after))})"
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
        following = (found[limit - 1]["asked_at"], found[limit - 1]["quote_id"])
    elif rows[0]["walked"] == most:
        following = (rows[0]["last_at"], rows[0]["last_quote"])
    return Page([_listed(row) for row in found[:limit]], following)


def _filter(conditions: Conditions, asked: PolicyFilter) -> bool:
    """Add what the policies that were looked at have to be, and return whether that is anything."""
    hold_common(conditions, asked)
    conditions.hold_given("b.expiration > {}", asked.expires_after)
    conditions.hold_given("b.expiration < {}", asked.expires_before)
    return bool(conditions.values)


def _listed(row: asyncpg.Record) -> ListedPolicy:
    return read_row(ListedPolicy, row, quote=from_row(row), metadata=metadata_of(row))
