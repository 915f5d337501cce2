from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

import asyncpg
import msgspec

from bindery.storage.conditions import leaps
from bindery.storage.database import Reader, read_row


class JobStatus(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FAILED = "failed"


MOST_COUNTED: Final = 1_000
MOST_FAILED: Final = 1_000
"""How many failed jobs are grouped by their error; with more, retry these first."""

STORED_AS = {JobStatus.WAITING: "queued", JobStatus.RUNNING: "picked", JobStatus.FAILED: "failed"}
_HAPPENED = {"queued": "put back", "picked": "begun", "successful": "done"}
_SHOWN_AS = {stored: shown for shown, stored in STORED_AS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSeen:
    """`attempts` are those begun; `held_up` is how often an outage held it up."""

    id: int
    kind: str
    about: str
    partner: str | None
    status: JobStatus
    attempts: int
    held_up: int
    priority: int
    created_at: datetime
    next_try_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class JobEntry:
    at: datetime
    what: str
    error: str | None
    traceback: str | None


class _Fault(msgspec.Struct):
    exception_type: str
    exception_message: str
    traceback: str


_read_fault = msgspec.json.Decoder(_Fault).decode

_SEE = """
select j.id, j.entrypoint as kind, convert_from(j.payload, 'UTF8') as about, p.name as partner,
       j.status::text, j.attempts, coalesce((j.headers->>'held_up')::int, 0) as held_up,
       j.priority, j.created as created_at, j.execute_after,
       (select l.traceback::text from pgq.pgqueuer_log l
        where l.job_id = j.id and l.traceback is not null order by l.created desc, l.id desc limit 1) as fault
from pgq.pgqueuer j left join partners p on p.partner_key = j.headers->>'partner'
"""


async def list_jobs(tx: Reader, *, kind: str | None, status: JobStatus | None, limit: int) -> list[JobSeen]:
    statement = f"""
    {_SEE}
    where ($1::text is null or j.entrypoint = $1) and ($2::text is null or j.status::text = $2)
    order by array_position(array['failed', 'picked'], j.status::text), j.priority desc, j.id limit $3
    """
    rows = await tx.connection.fetch(statement, kind, None if status is None else STORED_AS[status], limit)
    return [_job(row) for row in rows]


async def find_job(tx: Reader, job_id: int) -> JobSeen | None:
    row = await tx.connection.fetchrow(f"{_SEE} where j.id = $1", job_id)
    return None if row is None else _job(row)


async def history_of(tx: Reader, job_id: int) -> list[JobEntry]:
    statement = """
    select created, status::text, traceback::text from pgq.pgqueuer_log where job_id = $1
    order by created, id
    """
    rows = await tx.connection.fetch(statement, job_id)
    return [
        JobEntry(
            created,
            _HAPPENED.get(status, status),
            _error(fault),
            _read_fault(fault).traceback if fault else None,
        )
        for created, status, fault in rows
    ]


def last_traceback(history: Sequence[JobEntry]) -> str | None:
    return next((entry.traceback for entry in reversed(history) if entry.traceback), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    kind: str
    waiting: int
    held_up: int
    oldest: datetime | None
    running: int
    failed: int


async def count_by_kind(tx: Reader) -> list[KindCount]:
    statement = f"""
    with recursive {leaps("waiting", "entrypoint", "pgq.pgqueuer", "status = 'queued'")}, others as (
        select entrypoint, count(*) filter (where status = 'picked') as running,
               count(*) filter (where status = 'failed') as failed
        from pgq.pgqueuer where status in ('picked', 'failed') group by entrypoint
    )
    select kind, coalesce(w.count, 0) as waiting, coalesce(w.held_up, 0) as held_up, w.oldest,
           coalesce(o.running, 0) as running, coalesce(o.failed, 0) as failed
    from (select entrypoint as kind from waiting where entrypoint is not null
          union select entrypoint from others) as kinds
    left join others o on o.entrypoint = kind
    left join lateral (
        select count(*) as count, count(*) filter (where (headers->>'held_up')::int > 0) as held_up,
               min(created) as oldest
        from (select headers, created from pgq.pgqueuer j
              where j.status = 'queued' and j.entrypoint = kind limit {MOST_COUNTED + 1}) as first
    ) w on true
    order by kind
    """
    return await tx.rows(KindCount, statement)


def capped(count: int) -> str:
    return f"{MOST_COUNTED:,}+" if count > MOST_COUNTED else f"{count:,}"


async def count_jobs(tx: Reader) -> dict[JobStatus, int]:
    rows = await tx.connection.fetch("select status::text, count(*) from pgq.pgqueuer group by status")
    return dict.fromkeys(JobStatus, 0) | {_SHOWN_AS[status]: count for status, count in rows}


def _job(row: asyncpg.Record) -> JobSeen:
    status = _SHOWN_AS[row["status"]]
    return read_row(
        JobSeen,
        row,
        status=status,
        # PgQueuer counts those that were sent back.
        attempts=row["attempts"] + (status is not JobStatus.WAITING),
        next_try_at=row["execute_after"] if status is JobStatus.WAITING else None,
        error=_error(row["fault"]),
    )


def _error(fault: str | None) -> str | None:
    """Word an exception in a line; one that only sent the job back says of itself why."""
    if fault is None:
        return None
    read = _read_fault(fault)
    if read.exception_type in {"RetryRequested", "HeldUp"}:
        return read.exception_message
    return f"{read.exception_type}: {read.exception_message}"
