"""The one place that knows the columns of the queue's table, for everything that changes its rows.

Jobs are taken by priority, and those of the same priority in the order in which they were queued. Urgent ones
have a priority above zero. All others wait in lanes that take turns: the priority of a job is its turn with
the sign changed, and a turn is given out when the job is queued. It is one past the last of the job's lane,
but not before the turn that is being worked on, so that

- a lane with a thousand jobs waiting delays a job of another lane by one, and
- no job waits forever: whatever comes later gets a later turn than those worked on now.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.base.tracing import current_trace
from bindery.domain.jobs import IN_LANES_OF_PARTNERS, TIMETABLE, URGENT, WORKER_MISSED_AFTER
from bindery.storage.database import Reader, Tx

ENQUEUE_COLUMNS = "priority, entrypoint, payload, status, dedupe_key, headers"

_URGENT = 1
_LOOKED_AT = 20
"""How many of the foremost jobs are looked at for the turn that is being worked on; some may be put off."""


def next_turn(lane: str) -> str:
    """Return the SQL of the next turn of a lane, which is given as SQL too."""
    return f"""
    greatest(
        (select 1 - priority from pgq.pgqueuer where status = 'queued' and headers->>'lane' = {lane}
         order by priority limit 1),
        (select -max(priority)
         from (select priority, execute_after from pgq.pgqueuer where status = 'queued' and priority <= 0
               order by priority desc, id limit {_LOOKED_AT}) as foremost
         where execute_after <= now()),
        0)
    """


_ENQUEUE = f"""
with asked as (
    select a.payload, a.place, $1 || ':' || a.payload as dedupe_key, p.partner_key as partner,
           case when not $3 then coalesce($4, p.partner_key, '') end as lane
    from unnest($2::text[]) with ordinality as a(payload, place)
    left join submissions s on s.submission_id = a.payload::uuid
    left join mails m on m.mail_id = a.payload::uuid
    left join quotes q on q.quote_id = coalesce(m.quote_id, a.payload::uuid)
    left join partners p on p.partner_id = coalesce(s.partner_id, q.partner_id)
), lanes as (
    select lane, {next_turn("lane")} as turn from (select distinct lane from asked) as named
), replaced as (
    delete from pgq.pgqueuer f using asked
    where f.status = 'failed' and f.dedupe_key = asked.dedupe_key and f.updated <= now() - $5::interval
)
insert into pgq.pgqueuer ({ENQUEUE_COLUMNS})
select case when asked.lane is null then {_URGENT}
            else 1 - lanes.turn - row_number() over (partition by asked.lane order by asked.place) end,
       $1, convert_to(asked.payload, 'UTF8'), 'queued', asked.dedupe_key,
       jsonb_build_object('partner', asked.partner, 'lane', asked.lane, 'trace', $6::text)
from asked left join lanes using (lane)
where not exists (select from pgq.pgqueuer f
                  where f.status = 'failed' and f.dedupe_key = asked.dedupe_key
                    and f.updated > now() - $5::interval)
order by asked.place
on conflict do nothing
"""


async def enqueue(tx: Tx, kind: str, ids: Sequence[str], *, rest: timedelta = timedelta(0)) -> int:
    """Queue one job for each id in the caller's transaction and return how many are new.

    One that is queued or running is not doubled. One that failed is replaced once it has rested for so long.
    """
    if not ids:
        # The table's trigger would wake every worker, also for no row at all.
        return 0
    shared_lane = None if kind in IN_LANES_OF_PARTNERS else TIMETABLE
    return await tx.execute(_ENQUEUE, kind, list(ids), kind in URGENT, shared_lane, rest, current_trace())


async def is_anything_waiting(tx: Reader) -> bool:
    statement = "select exists (select from pgq.pgqueuer where status = 'queued' and execute_after <= now())"
    return await tx.value(bool, statement)


def no_live_job(kind: str, about: str) -> str:
    """Return the SQL of whether no job of a kind waits or runs about something; both are given as SQL."""
    return f"""
    not exists (select from pgq.pgqueuer live
                where live.dedupe_key = {kind} || ':' || {about} and live.status in ('queued', 'picked'))
    """


_WAKE = """
pg_notify('ch_pgqueuer', json_build_object('channel', 'ch_pgqueuer', 'type', 'table_changed_event',
    'operation', 'update', 'table', 'pgqueuer', 'sent_at', now())::text)
"""
"""Notify the workers, as the table's own trigger does of new jobs but not of changed ones."""

PUT_BACK = f"""
with put_back as (
    update pgq.pgqueuer
    set status = 'queued', queue_manager_id = null, updated = now(), execute_after = now() + $3::interval,
        attempts = attempts + $4,
        headers = coalesce(headers, '{{}}') || jsonb_build_object('held_up', $5::int)
    where id = $1 and status = 'picked' and queue_manager_id = $2
    returning id, entrypoint, priority, payload, attempts
), logged as (
    insert into pgq.pgqueuer_log (job_id, status, entrypoint, priority, traceback, about, attempt,
                                  milliseconds, work)
    select id, 'queued', entrypoint, priority, $6::jsonb, convert_from(payload, 'UTF8'),
           attempts + 1 - $4, $7::real, $8 from put_back
)
select {_WAKE} from put_back
"""
"""Put a job back: its id, its worker, the pause, tries to add, how often an outage held it up, and why; then
how long it took, and its parts.

A job that another worker has taken over in the meantime is left alone.
"""


END = """
with ended as (
    select * from unnest($1::bigint[], $2::pgq.pgqueuer_status[], $3::jsonb[], $4::real[], $5::text[])
        as e(id, status, traceback, milliseconds, work)
), gone as (
    delete from pgq.pgqueuer where id in (select id from ended where status <> 'failed')
    returning id, entrypoint, priority, payload, attempts
), held as (
    update pgq.pgqueuer set status = 'failed', updated = now(), queue_manager_id = null
    where id in (select id from ended where status = 'failed')
    returning id, entrypoint, priority, payload, attempts
)
insert into pgq.pgqueuer_log (job_id, status, entrypoint, priority, traceback, about, attempt, milliseconds,
                              work)
select e.id, e.status, j.entrypoint, j.priority, e.traceback, convert_from(j.payload, 'UTF8'), j.attempts + 1,
       e.milliseconds, e.work
from ended e join (select * from gone union all select * from held) j using (id)
"""
"""End jobs, as PgQueuer does, and write into the log what they were about and how long they took: their ids,
how they ended, their exceptions, milliseconds and parts."""

NEXT_LOOK = """
select least(
    (select min(execute_after) from pgq.pgqueuer where status = 'queued' and entrypoint = any($1)),
    (select min(heartbeat) + $2::interval from pgq.pgqueuer where status = 'picked' and entrypoint = any($1))
) - now() as eta
"""
"""When there is something to take next: a job that is put off, or one whose worker may be dead by then."""


async def times_held_up(tx: Reader, kind: str, job_about: str) -> int:
    statement = """
    select (headers->>'held_up')::int from pgq.pgqueuer
    where dedupe_key = $1 || ':' || $2 and status in ('queued', 'picked')
    """
    times = await tx.find_value(int, statement, kind, job_about)
    return times or 0


async def retry_failed(tx: Tx, *, job_id: int | None = None, kind: str | None = None) -> int:
    statement = f"""
    with again as (
        update pgq.pgqueuer f
        set status = 'queued', attempts = 0, execute_after = now(), updated = now(),
            queue_manager_id = null
        where f.status = 'failed'
          and ($1::bigint is null or f.id = $1) and ($2::text is null or f.entrypoint = $2)
          and not exists (select from pgq.pgqueuer live
                          where live.dedupe_key = f.dedupe_key and live.status in ('queued', 'picked'))
        returning id, entrypoint, priority
    ), logged as (
        insert into pgq.pgqueuer_log (job_id, status, entrypoint, priority)
        select id, 'queued', entrypoint, priority from again
    )
    select {_WAKE} from again
    """
    return await tx.execute(statement, job_id, kind)


async def purge_log(tx: Tx, *, older_than: timedelta, limit: int) -> int:
    """Remove old entries of the queue's log, but for those of jobs that still exist."""
    statement = """
    delete from pgq.pgqueuer_log where id in (
        select l.id from pgq.pgqueuer_log l
        where l.created < now() - $1::interval
          and not exists (select from pgq.pgqueuer j where j.id = l.job_id)
        order by l.created limit $2)
    """
    return await tx.execute(statement, older_than, limit)


FORGOTTEN_AFTER: Final = timedelta(days=1)


async def beat(tx: Tx, worker_id: uuid.UUID, *, sends_mail: bool, report: str | None = None) -> None:
    """Record that a worker is alive; without a new report, the previous one stays."""
    statement = """
    with old as (delete from workers where seen_at < now() - $2::interval and worker_id <> $1)
    insert into workers (worker_id, seen_at, sends_mail, report) values ($1, now(), $3, $4)
    on conflict (worker_id) do update
    set seen_at = now(), sends_mail = $3, report = coalesce($4, workers.report)
    """
    await tx.execute(statement, worker_id, FORGOTTEN_AFTER, sends_mail, report)


async def reports_of_workers(tx: Reader) -> list[str]:
    statement = """
    select report from workers where report is not null and seen_at > now() - $1::interval
    order by worker_id
    """
    return await tx.column(str, statement, WORKER_MISSED_AFTER)


@dataclass(frozen=True, slots=True)
class SeenServer:
    version: int
    at: datetime
    worker_silent_for: timedelta | None


async def look_at_server(tx: Reader) -> SeenServer:
    statement = """
    select current_setting('server_version_num')::int as version, clock_timestamp() as at,
           (select now() - max(seen_at) from workers) as worker_silent_for
    """
    (seen,) = await tx.rows(SeenServer, statement)
    return seen


async def has_worker_with_mail(tx: Reader) -> bool | None:
    """Whether a worker that is running has a mail server; None if no worker is running."""
    statement = "select bool_or(sends_mail) from workers where seen_at > now() - $1::interval"
    return await tx.find_value(bool, statement, WORKER_MISSED_AFTER)


async def leave(tx: Tx, worker_id: uuid.UUID) -> None:
    await tx.execute("delete from workers where worker_id = $1", worker_id)
