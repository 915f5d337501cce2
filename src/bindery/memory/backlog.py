"""How much waits, and for how long: what an operator looks at first.

One statement, read at most every few seconds however many ask. Each part of it is answered from an index that
holds only what waits; what could be very much is counted up to a limit.
"""

import asyncio
import time
from typing import Final
from zoneinfo import ZoneInfo

import asyncpg
import structlog

from bindery.metrics import Sample
from bindery.storage.conditions import leaps
from bindery.storage.database import UNAVAILABLE, Database

FRESH_FOR_S: Final = 5.0
ANSWERS_WITHIN_S: Final = 2.0
MOST_COUNTED: Final = 10_000
"""Jobs of a kind and deliveries of a webhook are counted up to this."""

TOKENS_SHOWN_FOR_DAYS: Final = 60
"""Of partners whose last token expires later there is nothing to tell."""

log = structlog.get_logger()


def _age(since: str, now: str = "$1::timestamptz") -> str:
    """Return SQL for the seconds since a moment; 0 for a future moment, and for none."""
    return f"greatest(0, extract(epoch from {now} - {since}))"


_READ = f"""
with recursive {leaps("kinds", "entrypoint", "pgq.pgqueuer", "status = 'queued'")}, jobs as (
    select k.entrypoint as kind,
           (select count(*) from (
                select from pgq.pgqueuer j where j.status = 'queued' and j.entrypoint = k.entrypoint
                limit {MOST_COUNTED}) as counted) as count,
           (select min(j.execute_after) from pgq.pgqueuer j
            where j.status = 'queued' and j.entrypoint = k.entrypoint) as due
    from kinds k where k.entrypoint is not null
), {leaps("addressed", "webhook_id", "deliveries", "claimed_until is null")}, to_deliver as (
    select case when w.status <> 'active' then 'disabled' when w.paused_at is not null then 'paused'
                when w.failing_since is not null then 'failing' else 'healthy' end as webhook,
           (select count(*) from (
                select from deliveries d where d.claimed_until is null and d.webhook_id = w.webhook_id
                limit {MOST_COUNTED}) as counted) as count,
           (select min(d.due_at) from deliveries d
            where d.claimed_until is null and d.webhook_id = w.webhook_id) as due
    from addressed join webhooks w using (webhook_id)
), referrals as (
    select count(*), min(referred_at) as since from quotes where status = 'quote_referred'
), bind_requests as (
    -- Written so that each bind is looked up by its key, however many there are.
    select count(*), min((select b.asked_at from binds b where b.quote_id = q.quote_id)) as since
    from quotes q where q.status = 'quote_bind_requested'
), desk as (
    -- What waits for a broker's answer is not the desk's to be late with.
    select (select count(*) from (select from desk_items
                                  where closed_at is null and asked_at is null and due_at < $1
                                  limit {MOST_COUNTED}) as late) as late,
           -- The case that is due first; the oldest one would have to be looked for among all.
           (select opened_at from desk_items where closed_at is null and asked_at is null
            order by due_at, item_id limit 1) as since
), worked as (
    -- Saturdays and Sundays of the business zone do not count, as for when a case is due.
    select coalesce(sum(extract(epoch from least(day + interval '1 day', $1 at time zone $2)
                                         - greatest(day, desk.since at time zone $2))), 0) as seconds
    from desk, generate_series(date_trunc('day', desk.since at time zone $2),
                               date_trunc('day', $1 at time zone $2), interval '1 day') as day
    where extract(isodow from day) < 6
), expiring as (
    select p.partner_key, extract(epoch from max(t.expires_at) - now()) as seconds
    from tokens t join partners p using (partner_id) where t.revoked_at is null and t.expires_at > now()
    group by p.partner_key having max(t.expires_at) < now() + interval '{TOKENS_SHOWN_FOR_DAYS} days'
), marks as (
    select b.agreement, m.mark, {_age("m.passed_at")} as seconds
    from binder_marks m join binders b using (binder_id) where ($1 at time zone $2)::date < b.expiry
), unsent as (
    select (select count(*) from (select from mails where sent_at is null limit {MOST_COUNTED}) as counted),
           (select min(created_at) from mails where sent_at is null) as since
)
select 'bindery_jobs' as name, array[kind, 'waiting'] as labels, count::float8 as value from jobs
union all select 'bindery_jobs', array[entrypoint, 'running'], count(*)
    from pgq.pgqueuer where status = 'picked' group by entrypoint
union all select 'bindery_jobs', array[entrypoint, 'failed'], count(*)
    from pgq.pgqueuer where status = 'failed' group by entrypoint
union all select 'bindery_job_oldest_seconds', array[kind], {_age("due", "now()")} from jobs
union all select 'bindery_deliveries', array[webhook], sum(count) from to_deliver group by webhook
union all select 'bindery_delivery_oldest_seconds', array[webhook], max({_age("due")})
    from to_deliver group by webhook
union all select 'bindery_webhooks_disabled', '{{}}', count(*) from webhooks where status = 'disabled'
union all select 'bindery_referrals', '{{}}', count from referrals
union all select 'bindery_referral_oldest_seconds', '{{}}', {_age("since")} from referrals
union all select 'bindery_bind_requests', '{{}}', count from bind_requests
union all select 'bindery_bind_request_oldest_seconds', '{{}}', {_age("since")} from bind_requests
union all select 'bindery_desk_late', '{{}}', late from desk
union all select 'bindery_desk_oldest_working_seconds', '{{}}', greatest(0, seconds) from worked
union all select 'bindery_token_expires_seconds', array[partner_key], seconds from expiring
union all select 'bindery_binder_mark_seconds', array[agreement, mark::text], seconds from marks
union all select 'bindery_mails_unsent', '{{}}', count from unsent
union all select 'bindery_mail_oldest_seconds', '{{}}', {_age("since")} from unsent
"""


class Backlog:
    def __init__(self, database: Database, zone: ZoneInfo) -> None:
        self._database = database
        self._zone = zone.key
        self._reading: asyncio.Task[list[Sample] | None] | None = None
        self._read_at = 0.0

    async def read(self) -> list[Sample] | None:
        """Return the samples, or None if the database does not answer in time."""
        if self._reading is None or (self._reading.done() and time.monotonic() - self._read_at > FRESH_FOR_S):
            self._read_at = time.monotonic()
            self._reading = asyncio.create_task(self._read())
        # Nobody cancels the reading: a statement that a frozen server does not answer is hard to cancel.
        await asyncio.wait({self._reading}, timeout=ANSWERS_WITHIN_S)
        return self._reading.result() if self._reading.done() else None

    async def _read(self) -> list[Sample] | None:
        try:
            async with self._database.reading() as tx:
                rows = await tx.connection.fetch(_READ, tx.now, self._zone, timeout=ANSWERS_WITHIN_S)
        except (*UNAVAILABLE, asyncpg.PostgresError, TimeoutError) as fault:
            log.warning("backlog_not_read", reason=repr(fault))
            return None
        return [Sample(row["name"], tuple(row["labels"]), row["value"]) for row in rows]
