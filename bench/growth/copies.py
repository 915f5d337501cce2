"""A portfolio of any size: a few companies that went through the service, copied inside the database.

Every copy is a company with all its rows under new ids, moved back in time, so that the copies spread over
three years and over the hours of a working day. The hashes of their journals are computed again: `bindery
journal verify` finds nothing wrong.
What waits for somebody or is due now is the same however large the portfolio is: what has been grows, not
what is to do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bench.growth.tables import JOURNAL, TABLES, insert_of
from bindery.storage.database import Connection

COMPANIES_AT_ONCE: Final = 2_000

Tell = Callable[[int, int], None]
"""Hears how many companies have been copied, of how many."""


@dataclass(frozen=True)
class Share:
    """How many copies there are of one kind of company, and how many days before it they spread over.

    Without a `share`, their number is `count`, however large the portfolio is.
    """

    kind: str
    first_day: int
    last_day: int
    share: float = 0.0
    count: int = 0


SHARES: Final = (
    Share("expired", 0, 1_000, share=0.60),
    Share("ended", 0, 700, share=0.18),
    Share("in_force", 0, 290, share=0.10),
    Share("open", 0, 55, share=0.07),
    Share("declined", 0, 1_000, share=0.03),
    Share("renewing", 0, 20, share=0.02),
    # What waits for a person, or for a day that has not come.
    Share("referred", 0, 55, count=8),
    Share("binder", 0, 25, count=8),
    # What is due now, of every sweep.
    Share("open", 62, 66, count=4),
    Share("referred", 62, 66, count=2),
    Share("binder", 32, 36, count=12),
    Share("in_force", 312, 320, count=8),
    Share("renewing", 32, 36, count=4),
    Share("renewing", 60, 62, count=4),
)

_FUNCTIONS: Final = """
-- The time in the first 48 bits moves with the copy; the rest is drawn by its number.
create function pg_temp.copied(uuid, integer, bigint) returns uuid language sql immutable as $$
    select overlay(overlay(md5($1::text || $2::text) placing
        lpad(to_hex(('x' || replace(substr($1::text, 1, 13), '-', ''))::bit(48)::bigint
                    - $3), 12, '0') || '7' from 1 for 13) placing '8' from 17 for 1)::uuid
$$;
create function pg_temp.link(bytea, bytea) returns bytea language sql immutable as $$
    select sha256($1 || $2)
$$;
create aggregate pg_temp.chained(bytea) (sfunc = pg_temp.link, stype = bytea, initcond = '');
"""

_SEEDS: Final = """
create temp table seed_quotes as
    select quote_id, company_id as seed from quotes where company_id in (select seed from seeds);
create unique index on seed_quotes (quote_id);
create temp table seed_contingencies as
    select s.seed, c.contingency_id,
           row_number() over (partition by s.seed order by c.contingency_id) as place
    from contingencies c join seed_quotes s using (quote_id);
create temp table seed_events as
    select s.seed, e.position, row_number() over (partition by s.seed order by e.position) as place
    from events e join seed_quotes s using (quote_id);
create temp table seed_deliveries as
    select s.seed, d.delivery_id, d.created_at,
           row_number() over (partition by s.seed order by d.delivery_id) as place
    from finished_deliveries d join seed_quotes s using (quote_id);
"""

_PLAN: Final = """
create temp table plan (seed integer, first_day integer, last_day integer, count integer);
insert into plan select * from unnest($1::int[], $2::int[], $3::int[], $4::int[])
"""

# Company numbers lie all over their range, as those that are drawn: 899999963 is a prime. What is counted
# (contingencies, events, deliveries) continues from copy to copy without a gap.
_COPIES: Final = """
create temp table copies as
with clock as (
    select (now() + ahead) at time zone 'America/New_York' as now from service_clock
), working_day as (
    -- Copies stay on the day that they are moved to, however early it is.
    select greatest(1, least(8 * 3600, extract(epoch from now::time)::int - 600)) as seconds from clock
), placed as (
    select p.seed, p.first_day + g.n % (p.last_day - p.first_day + 1) as days,
           g.n * 7919::bigint % w.seconds as seconds, g.n, c.created_at
    from plan p join companies c on c.company_id = p.seed cross join working_day w
    cross join lateral generate_series(0, p.count - 1) as g(n)
), moved as (
    select seed, n, days, make_interval(days => days, secs => seconds) as shift, created_at,
           (days * 86400 + seconds) * 1000 as milliseconds
    from placed
), numbered as (
    select seed, days, shift, milliseconds, row_number() over (order by created_at - shift, n)::int as number
    from moved
), counted as (
    select seed,
        (select count(*) from seed_contingencies c where c.seed = s.seed) as contingencies,
        (select count(*) from seed_events e where e.seed = s.seed) as events,
        (select count(*) from seed_deliveries d where d.seed = s.seed) as deliveries
    from seeds s
)
select n.number, n.seed, n.days, n.shift, n.milliseconds,
    (100000000 + (n.number * 514229957::bigint + 271828183) % 899999963)::int as company_id,
    coalesce(sum(c.contingencies) over earlier, 0)::bigint as contingencies,
    coalesce(sum(c.events) over earlier, 0)::bigint as events,
    coalesce(sum(c.deliveries) over earlier, 0)::bigint as deliveries
from numbered n join counted c using (seed)
window earlier as (order by n.number rows between unbounded preceding and 1 preceding);
delete from copies where company_id in (select company_id from companies);
create unique index on copies (number);
analyze copies;
"""

_AFTERWARDS: Final = """
update feeds set last_position = (select max(position) from events e where e.partner_id = feeds.partner_id);
select setval(pg_get_serial_sequence('contingencies', 'contingency_id'), max(contingency_id))
    from contingencies;
select setval(pg_get_serial_sequence('deliveries', 'delivery_id'), max(delivery_id)) from finished_deliveries;
select setval('policy_numbers', 1000 + max(number)) from copies;
insert into pgq.pgqueuer_log (created, job_id, status, priority, entrypoint, aggregated)
    select now() - shift, -number, status::pgq.pgqueuer_status, 0, 'process_submission', false
    from copies cross join unnest(array['queued', 'picked', 'successful']) as status where days < 14;
insert into scan_cache (domain, scanned_at, result)
    select 'company' || n.number || '.com', s.created_at - n.shift, s.scan
    from copies n join submissions s on s.company_id = n.seed cross join service_clock
    where s.scan is not null and s.created_at - n.shift > now() + ahead - interval '1 day'
    on conflict do nothing;
-- Binds that somebody was about to finish when the lights went out.
update binds set unfinished_since = asked_at where quote_id in (
    select b.quote_id from binds b join copies n using (company_id)
    where b.in_force and b.issued_on is null order by n.number limit 8);
-- The turn of a few policies has come.
update watched_policies set due_on = (select (now() + ahead)::date - 1 from service_clock) where quote_id in (
    select w.quote_id from watched_policies w join binds b using (quote_id) join copies n using (company_id)
    order by n.number limit 8);
-- Reminders that were due have been sent, but for a few: as many of each are due now in every portfolio.
update binds b set lapse_reminders = o.place % 3 from (
    select quote_id, row_number() over (order by number) as place from binds join copies using (company_id)
    where in_force and issued_on is null) as o
    where o.quote_id = b.quote_id;
update quotes set reminders_sent = 2 where status = 'published';
update quotes q set reminders_sent = q.option_number % 2 from copies n
    where n.company_id = q.company_id and n.days between 62 and 66 and q.status = 'published';
"""


def planned(quotes: int, seeds: Mapping[str, int]) -> list[tuple[int, Share, int]]:
    """Return how many copies of which seed make up about that many quotes of five to a company."""
    growing = max(0, quotes // 5 - sum(share.count for share in SHARES))
    return [(seeds[share.kind], share, share.count or round(growing * share.share)) for share in SHARES]


async def copy_companies(
    connection: Connection, quotes: int, seeds: Mapping[str, int], tell: Tell = lambda _done, _all: None
) -> None:
    """Copy the seeds, companies by their kind, until there are about that many quotes; for superusers only.

    The connection is of no use for anything else afterwards.
    """
    await connection.execute("set synchronous_commit = off; set work_mem = '64MB'; set jit = off")
    await connection.execute(_FUNCTIONS)
    await _plan(connection, quotes, seeds)
    feed_end: int = await connection.fetchval("select max(position) from events")
    now = await connection.fetchval("select now() + ahead from service_clock")
    statements = [JOURNAL] + [await insert_of(connection, table, feed_end, now) for table in TABLES]
    total: int = await connection.fetchval("select max(number) from copies")
    # Triggers and foreign keys; the copying does their part.
    for table in ("journal", *TABLES):
        await connection.execute(f"alter table {table} disable trigger all")
    for first in range(1, total + 1, COMPANIES_AT_ONCE):
        last = min(first + COMPANIES_AT_ONCE - 1, total)
        async with connection.transaction():
            for statement in statements:
                await connection.execute(statement, first, last)
        tell(last, total)
    for table in ("journal", *TABLES):
        await connection.execute(f"alter table {table} enable trigger all")
    await connection.execute(_AFTERWARDS)


async def _plan(connection: Connection, quotes: int, seeds: Mapping[str, int]) -> None:
    await connection.execute("create temp table seeds (seed integer primary key)")
    await connection.execute("insert into seeds select unnest($1::int[])", list(seeds.values()))
    await connection.execute(_SEEDS)
    create, insert = _PLAN.split(";")
    await connection.execute(create)
    plan = planned(quotes, seeds)
    await connection.execute(
        insert,
        [seed for seed, _, _ in plan],
        [share.first_day for _, share, _ in plan],
        [share.last_day for _, share, _ in plan],
        [count for _, _, count in plan],
    )
    await connection.execute(_COPIES)
