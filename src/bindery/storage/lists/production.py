"""The policies of a production report."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import asyncpg

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.quote.underwriting import total_of
from bindery.domain.submission.value import client_of
from bindery.storage.database import Reader
from bindery.storage.lists.lists import QUOTE_COLUMNS
from bindery.storage.quote.quotes import from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducedPolicy:
    company_id: int
    name: str
    dba: str
    policy_number: str
    product: InsuranceProduct
    status: QuoteStatus
    effective: date
    expiration: date
    issued_on: date | None
    ended_on: date | None
    fulfil_by: date | None
    premium: int
    total: Decimal
    broker: str
    secondary_broker: str
    bound_on: date | None


async def policies_of(tx: Reader, company_ids: Sequence[int]) -> list[ProducedPolicy]:
    """List every policy and binder that companies ever had, the last bound first."""
    rows = await tx.connection.fetch(
        f"""
        select {QUOTE_COLUMNS}, s.name, br.email as broker, s.secondary_broker_email, b.policy_number,
               b.effective, b.expiration, b.issued_on, b.ended_on, b.fulfil_by, b.bound_on,
               case when strpos(s.body, '"dba"') > 0 then s.body end as body
        from binds b
        join quotes q using (quote_id)
        join submissions s using (submission_id)
        join brokers br using (broker_id)
        where b.company_id = any($1::int[]) and b.policy_number is not null
        order by b.asked_at desc, b.quote_id desc
        """,
        list(company_ids),
    )
    return [_produced(row) for row in rows]


def _produced(row: asyncpg.Record) -> ProducedPolicy:
    quote = from_row(row)
    return ProducedPolicy(
        company_id=quote.company_id,
        name=row["name"],
        dba=str(client_of(row["body"]).get("dba") or "") if row["body"] else "",
        policy_number=row["policy_number"],
        product=quote.product,
        status=quote.status,
        effective=row["effective"],
        expiration=row["expiration"],
        issued_on=row["issued_on"],
        ended_on=row["ended_on"],
        fulfil_by=row["fulfil_by"],
        premium=quote.premium or 0,
        total=total_of(quote),
        broker=row["broker"],
        secondary_broker=row["secondary_broker_email"] or "",
        bound_on=row["bound_on"],
    )


async def trade_names_of(tx: Reader, company_ids: Sequence[int]) -> dict[int, str]:
    statement = "select company_id, text from search_texts where company_id = any($1::int[]) and kind = 'dba'"
    rows = await tx.connection.fetch(statement, list(company_ids))
    return {row["company_id"]: row["text"] for row in rows}
