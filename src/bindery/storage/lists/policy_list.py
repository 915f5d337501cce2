import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from bindery.contract.lists import ListedPolicy
from bindery.contract.policy_ending import RenewalState, RenewalStop
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import RenewalRuling, RenewalType
from bindery.domain.policy.renewal import state_of_renewal, stopped_by
from bindery.domain.quote.underwriting import total_of
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader
from bindery.storage.list_pages import Cursor, ListPage, page_of_list
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFilter(ListFilter):
    expires_after: date | None = None
    expires_before: date | None = None


async def list_policies(
    tx: Reader, asked: PolicyFilter, *, cursor: Cursor | None, limit: int
) -> ListPage[ListedPolicy]:
    conditions = Conditions()
    where_common(conditions, asked)
    conditions.where_if_given("b.expiration > {}", asked.expires_after)
    conditions.where_if_given("b.expiration < {}", asked.expires_before)
    where, is_filtered = conditions.clause, bool(conditions.values)
    most = MOST_LOOKED_AT if is_filtered else limit + 1
    own = f"partner_id = {conditions.value(asked.partner_id)} and policy_number is not null"
    if asked.company_id is not None:
        own += f" and company_id = {conditions.value(asked.company_id)}"
    if cursor is not None:
        own += f" and (asked_at, quote_id) < ({', '.join(map(conditions.value, cursor.key))})"
    return await page_of_walk(
        tx,
        conditions,
        _listed,
        walk=f"select * from binds where {own} order by asked_at desc, quote_id desc limit {most}",
        found=f"""
        select {QUOTE_COLUMNS},
               b.asked_at, b.policy_number, s.name, br.email as broker, b.effective, b.expiration,
               b.bound_on, b.fulfil_by, b.issued_on, b.ended_on, b.renewal_type, s.renews,
               b.received_on, b.in_force, b.cancellation_open, b.renewal_settled, b.renewal_ruling,
               r.quote_id as renewed_by, r.status as renewed_by_status, {METADATA}
        from walked b
        join quotes q using (quote_id)
        join submissions s using (submission_id)
        join brokers br using (broker_id)
        left join quotes r on r.submission_id = b.renewal_submission_id and r.option_number = 0
        {where}
        order by b.asked_at desc, b.quote_id desc
        """,
        last="""
        select asked_at as last_asked_at, quote_id as last_quote_id from walked order by asked_at, quote_id
        """,
        key=("asked_at", "quote_id"),
        order="asked_at desc, quote_id desc",
        most=most,
        limit=limit,
    )


def _listed(row: asyncpg.Record) -> ListedPolicy:
    quote = from_row(row)
    is_conditional = row["issued_on"] is None
    renewed_by, renewal_type = row["renewed_by"], RenewalType(row["renewal_type"])
    return ListedPolicy(
        **common_fields(row, quote),
        policy_number=row["policy_number"],
        conditional=is_conditional,
        fulfil_by=row["fulfil_by"] if is_conditional else None,
        bound_on=row["bound_on"],
        ended_on=row["ended_on"],
        premium=quote.premium or 0,
        total=float(total_of(quote)),
        received_on=row["received_on"] if is_conditional else None,
        renewal_type=renewal_type,
        renewed_by=str(renewed_by) if renewed_by else None,
        renewal_state=state_of_renewal(
            QuoteStatus(row["renewed_by_status"]) if renewed_by else None,
            in_force=row["in_force"],
            renewal_type=renewal_type,
            is_settled=row["renewal_settled"],
        ),
        renewal_stopped_by=stopped_by(
            renewal_type,
            cancellation_open=row["cancellation_open"],
            ruling=RenewalRuling(row["renewal_ruling"]) if row["renewal_ruling"] else None,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingPolicy:
    quote_id: uuid.UUID
    company_id: int
    name: str
    product: str
    policy_number: str
    expiration: date
    broker: str
    premium: int
    renewal_type: RenewalType
    cancellation_open: bool
    renewal_ruling: RenewalRuling | None
    is_renewal_settled: bool
    renewed_by: uuid.UUID | None
    renewed_by_status: QuoteStatus | None
    offered_premium: int | None
    is_owed: bool
    """Whether the renewal waits for something, so that it does not bind by itself."""
    renewed_as: str | None
    """The number of the policy that follows it, once that is bound."""

    @property
    def state(self) -> RenewalState:
        return state_of_renewal(
            self.renewed_by_status,
            in_force=True,
            renewal_type=self.renewal_type,
            is_settled=self.is_renewal_settled,
        )

    @property
    def stopped_by(self) -> RenewalStop | None:
        return stopped_by(
            self.renewal_type, cancellation_open=self.cancellation_open, ruling=self.renewal_ruling
        )


async def ending(
    tx: Reader,
    *,
    partner_id: int,
    until: date,
    broker: str | None,
    companies: Sequence[int] | None = None,
    cursor: Cursor | None,
    limit: int,
) -> ListPage[EndingPolicy]:
    """List the policies that end by a day: a broker's own, as first or second broker, or all of a partner.

    `companies` are the broker's, where there are few: no other's policies are looked at then.
    """
    of_companies = "$4::int[] is null" if companies is None else "b.company_id = any($4::int[])"
    # Whose it is, is asked of each policy in turn: the planner takes a broker of the whole book for one of a
    # few policies, and would read and sort all of them first.
    return await page_of_list(
        tx,
        EndingPolicy,
        f"""
        select b.quote_id, b.company_id, s.name, b.product, b.policy_number, b.expiration,
               br.email as broker, q.premium, b.renewal_type, b.cancellation_open, b.renewal_ruling,
               b.renewal_settled as is_renewal_settled,
               r.quote_id as renewed_by, r.status as renewed_by_status,
               case when r.status in ('published', 'offer_email', 'quote_bind_requested', 'policy_active')
                    then r.premium end as offered_premium,
               coalesce((select true from contingencies c where c.quote_id = r.quote_id
                         and c.status = 'open' and c.kind <> 'signature' limit 1), false) as is_owed,
               next.policy_number as renewed_as
        from binds b
            join quotes q on q.quote_id = b.quote_id
            join submissions s on s.submission_id = q.submission_id
            join brokers br on br.broker_id = s.broker_id
            left join quotes r on r.submission_id = b.renewal_submission_id and r.option_number = 0
            left join binds next on next.quote_id = r.quote_id and next.in_force
        where b.in_force and b.issued_on is not null and b.expiration <= $2 and b.partner_id = $1
          and ($3::text is null or (
              select o.secondary_broker_email = $3
                  or o.broker_id = (select broker_id from brokers where partner_id = $1 and email = $3)
              from quotes p join submissions o using (submission_id) where p.quote_id = b.quote_id))
          and {of_companies}
        """,
        partner_id,
        until,
        broker,
        companies,
        order=("b.expiration", "b.quote_id"),
        place="select expiration, quote_id from binds where quote_id = {}",
        key="quote_id",
        cursor=cursor,
        limit=limit,
    )
