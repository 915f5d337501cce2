"""What the list of companies shows of each: the quotes that lead, with their limits, premiums and dates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.quote.lifecycle import WITHOUT_PREMIUM
from bindery.domain.quote.standing import STATUSES_OF, CompanyStanding
from bindery.storage.database import Reader


def _any(statuses: Sequence[QuoteStatus]) -> str:
    return f"any(array{[status.value for status in statuses]})"


STANDING: Final = f"""
case when q.status = 'policy_active' then case when b.issued_on is null then 'binder' else 'in_force' end
     when q.status = 'policy_canceled' and b.ended_on > greatest({{today}}, b.effective) then 'in_force'
     {
    " ".join(f"when q.status = {_any(statuses)} then '{name}'" for name, statuses in STATUSES_OF.items())
} end
"""
"""Where a quote (q) with its bind (b) stands on a day."""

_PLACES: Final = f"array{[standing.value for standing in CompanyStanding]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyLine:
    """A company by the quotes of its leading standing.

    Of what is over, these are the policy or else the options of the last submission.
    """

    company_id: int
    name: str
    created_at: datetime
    standing: CompanyStanding
    standings: frozenset[CompanyStanding]
    all_products: frozenset[InsuranceProduct]
    statuses: tuple[QuoteStatus, ...]
    products: tuple[InsuranceProduct, ...]
    options: int
    least_limit: int
    most_limit: int
    least_premium: int | None
    most_premium: int | None
    effective: date
    expiration: date
    until: date | None
    """The last day of an open option, or the day by which a binder is to be fulfilled."""
    ended_on: date | None
    received_on: date | None
    renews_by_hand: bool
    due_at: datetime | None
    """When an underwriter's answer is due."""
    broker: str
    secondary_broker: str | None


async def lines_of(tx: Reader, company_ids: Sequence[int]) -> list[CompanyLine]:
    """Read the lines of companies, in no order; it costs by the quotes that they have."""
    statement = f"""
    with grouped as (
        select company_id, standing, max(created_at) as made_at,
               (array_agg(submission_id order by created_at desc))[1] as submission_id,
               array_agg(distinct status) as statuses, string_agg(distinct product, ' ') as products,
               count(*)::int as options, min(aggregate_limit) as least_limit,
               max(aggregate_limit) as most_limit, min(premium) as least_premium,
               max(premium) as most_premium, min(effective) as effective, min(expiration) as expiration,
               min(until) as until, min(ended_on) as ended_on, max(received_on) as received_on,
               bool_or(renewal_type = 'manual' or renewal_ruling = 'not_renewed') as renews_by_hand, is_bound
        from (
            select q.company_id, q.submission_id, q.status, q.product, q.created_at,
                   {STANDING.format(today="$2::date")} as standing,
                   coalesce(q.aggregate_limit, q.requested_aggregate_limit) as aggregate_limit,
                   case when q.status <> all($3::text[]) then q.premium end as premium,
                   b.effective, b.expiration, b.ended_on, b.received_on, b.renewal_type, b.renewal_ruling,
                   coalesce(b.fulfil_by, q.expires_on) as until, b.policy_number is not null as is_bound
            from quotes q left join binds b using (quote_id)
            where q.company_id = any($1::int[])
        ) each
        group by company_id, standing, case when standing = 'over' then submission_id end, is_bound
    ), known as (
        select *, array_agg(standing) over (partition by company_id) as standings,
               string_agg(products, ' ') over (partition by company_id) as all_products,
               row_number() over (partition by company_id
                   order by array_position({_PLACES}, standing), made_at desc, is_bound desc) as place
        from grouped
    )
    select k.company_id, n.name, c.created_at, k.standing, k.standings, k.statuses,
           string_to_array(k.products, ' ') as products, string_to_array(k.all_products, ' ') as all_products,
           k.options, k.least_limit, k.most_limit, k.least_premium, k.most_premium,
           coalesce(k.effective, s.effective) as effective,
           coalesce(k.expiration, s.expiration) as expiration, k.until,
           k.ended_on, k.received_on, coalesce(k.renews_by_hand, false) as renews_by_hand,
           case when k.standing in ('referred', 'bind_requested')
                then (select min(due_at) from desk_items d
                      where d.submission_id = k.submission_id and d.closed_at is null
                        and d.asked_at is null) end as due_at,
           br.email as broker, n.secondary_broker_email as secondary_broker
    from known k
    join companies c using (company_id)
    join submissions s using (submission_id)
    join lateral (select name, broker_id, secondary_broker_email from submissions l
                  where l.company_id = k.company_id order by l.created_at desc limit 1) n on true
    join brokers br on br.broker_id = n.broker_id
    where k.place = 1
    """
    return await tx.rows(CompanyLine, statement, list(company_ids), tx.today, sorted(WITHOUT_PREMIUM))
