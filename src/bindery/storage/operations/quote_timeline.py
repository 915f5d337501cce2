"""How long each step of a quote took: its jobs while the queue's log keeps them, papers and deliveries."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import asyncpg
import msgspec

from bindery.base.stages import JobWork
from bindery.storage.database import Reader

_read_work = msgspec.json.Decoder(JobWork).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteTimes:
    quote_id: uuid.UUID
    submission_id: uuid.UUID
    company_id: int
    partner_id: int
    partner_key: str
    partner_name: str
    product: str
    created_at: datetime
    first_ready_at: datetime | None
    """When the option was offered or with an underwriter for the first time."""
    first_ready: str | None
    """The event that said so."""


async def find(tx: Reader, quote_id: uuid.UUID) -> QuoteTimes | None:
    statement = """
    select q.quote_id, q.submission_id, q.company_id, q.partner_id, p.partner_key, p.name as partner_name,
           q.product, q.created_at, ready.at as first_ready_at, ready.type as first_ready
    from quotes q join partners p using (partner_id)
    left join lateral (
        select j.at, j.type from journal j
        where j.quote_id = q.quote_id
          and j.type in ('quote.published', 'policy.renewal_offered', 'quote.referred')
        order by j.entry limit 1
    ) ready on true
    where q.quote_id = $1
    """
    return await tx.row(QuoteTimes, statement, quote_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """A job or a try of it; one that has not ended has no milliseconds."""

    job_id: int
    kind: str
    about: str
    state: str
    attempt: int
    at: datetime
    milliseconds: float | None
    work: JobWork | None
    mail_id: uuid.UUID | None


_ABOUT = """
select $1::uuid::text as about, null::uuid as mail_id
union all select $2::uuid::text, null
union all select mail_id::text, mail_id from mails where quote_id = $1
"""


async def jobs_of(tx: Reader, quote_id: uuid.UUID, submission_id: uuid.UUID) -> list[JobRun]:
    """Return the jobs of a quote, its submission and its mails, in the order in which they ended."""
    statement = f"""
    with its as ({_ABOUT})
    select l.job_id, l.entrypoint as kind, l.about, l.status::text as state, l.attempt, l.created as at,
           l.milliseconds, l.work, its.mail_id
    from its join pgq.pgqueuer_log l using (about)
    union all
    select j.id, j.entrypoint, its.about, j.status::text, j.attempts + 1, j.created, null, null, its.mail_id
    from its join pgq.pgqueuer j on j.dedupe_key = j.entrypoint || ':' || its.about
    where j.payload = convert_to(its.about, 'UTF8') and j.status <> 'failed'
    order by at, job_id, attempt
    """
    rows = await tx.connection.fetch(statement, quote_id, submission_id)
    return [_job_run(row) for row in rows]


def _job_run(row: asyncpg.Record) -> JobRun:
    work = row["work"]
    return JobRun(**{**row, "work": _read_work(work) if work else None})


@dataclass(frozen=True, slots=True, kw_only=True)
class MadePaper:
    type: str
    version: int
    made_at: datetime


async def papers_of(tx: Reader, quote_id: uuid.UUID) -> list[MadePaper]:
    statement = """
    select type, version, made_at from documents where quote_id = $1 order by made_at, type, version
    """
    return await tx.rows(MadePaper, statement, quote_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEvent:
    """An event on its way to a webhook, or there."""

    delivery_id: int
    webhook_id: uuid.UUID
    endpoint: str
    type: str
    created_at: datetime
    tries: int
    delivered_at: datetime | None
    state: str


LOOKED_FOR: Final = timedelta(hours=6)
"""Deliveries that ended are kept by time, not by quote; those until so long after the answer are read."""


async def deliveries_of(tx: Reader, times: QuoteTimes, *, limit: int) -> list[ToldEvent]:
    statement = """
    with its as (
        select event_id, entry, type from journal where quote_id = $1 and type is not null
    ), told as (
        select d.delivery_id, d.webhook_id, its.type, d.created_at, d.tries::int as tries,
               null::timestamptz as delivered_at, 'pending' as state
        from webhooks w join quotes q on q.quote_id = $1 and q.partner_id = w.partner_id
        join deliveries d on d.webhook_id = w.webhook_id and d.quote_id = $1
        join its on its.entry = d.entry
        union all
        select f.delivery_id, f.webhook_id, its.type, f.created_at,
               (select count(*)::int from delivery_attempts a where a.delivery_id = f.delivery_id),
               case when f.state = 'delivered' then f.finished_at end, f.state
        from finished_deliveries f join its on its.event_id = f.event_id
        where f.quote_id = $1 and f.finished_at between $3 and $4
    )
    select told.*, w.endpoint from told join webhooks w using (webhook_id) order by delivery_id limit $2
    """
    until = (times.first_ready_at or times.created_at) + LOOKED_FOR
    return await tx.rows(ToldEvent, statement, times.quote_id, limit, times.created_at, until)
