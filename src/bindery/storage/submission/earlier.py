import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import msgspec

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.quote import Quote
from bindery.domain.scan.scan import ScanResult
from bindery.domain.submission.value import Submission, from_snapshot
from bindery.storage.database import Reader, of_table
from bindery.storage.quote.quotes import COLUMNS, from_row
from bindery.storage.submission.submissions import StoredSubmission, read_scan


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSubmission:
    submission_id: uuid.UUID
    company_id: int
    submitted_at: datetime
    renews: uuid.UUID | None
    submission: Submission
    scan: ScanResult | None
    options: Sequence[Quote]


_READ = f"""
select {of_table("q", COLUMNS)}, s.created_at as submitted_at, s.renews, s.facts, s.scan
from submissions s join quotes q using (submission_id)
"""


async def read(tx: Reader, submission_id: uuid.UUID, *, company_id: int) -> ReadSubmission | None:
    rows = await tx.connection.fetch(
        f"{_READ} where s.submission_id = $1 and s.company_id = $2 order by q.option_number",
        submission_id,
        company_id,
    )
    return _read(rows)


async def before(tx: Reader, stored: StoredSubmission) -> ReadSubmission | None:
    statement = f"""
    {_READ} where s.submission_id = coalesce(
        (select submission_id from quotes where quote_id = $1),
        (select submission_id from submissions
         where company_id = $2 and product = $3 and created_at < $4
         order by created_at desc limit 1))
    order by q.option_number
    """
    values = stored.renews, stored.company_id, stored.submission.product, stored.created_at
    rows = await tx.connection.fetch(statement, *values)
    return _read(rows)


def _read(rows: Sequence[asyncpg.Record]) -> ReadSubmission | None:
    if not rows:
        return None
    first = rows[0]
    try:
        submission = from_snapshot(first["facts"])
        scan = read_scan(first["scan"]) if first["scan"] else None
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, ArithmeticError):
        # Facts of an old version that cannot be read are no reason not to show the case.
        return None
    return ReadSubmission(
        submission_id=first["submission_id"],
        company_id=first["company_id"],
        submitted_at=first["submitted_at"],
        renews=first["renews"],
        submission=submission,
        scan=scan,
        options=[from_row(row) for row in rows],
    )


@dataclass(frozen=True, slots=True)
class PastScan:
    scanned_at: datetime
    score: int


async def scans_of(tx: Reader, company_id: int, *, limit: int) -> list[PastScan]:
    """Return the last scans of a company, those of its policies included, the oldest first."""
    statement = """
    select * from (
        select (scan::json ->> 'scanned_at')::timestamptz as scanned_at,
               (scan::json ->> 'score')::int as score
        from (select scan from submissions
              where company_id = $1 and scan is not null order by created_at desc limit $2) s
        where scan::json ->> 'score' is not null
        union
        select r.scanned_at, r.score from binds b join rescans r using (quote_id)
        where b.company_id = $1 and r.score is not null
        order by 1 desc limit $2) as last_ones
    order by 1
    """
    return await tx.rows(PastScan, statement, company_id, limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarCase:
    submission_id: uuid.UUID
    name: str
    revenue: int
    submitted_at: datetime
    aggregate_limit: int
    retention: int | None
    premium: int | None
    status: QuoteStatus
    decided_by: str | None


_NEAR = """
    (select submission_id, name, revenue, created_at from submissions
     where product = $1 and sector = $2 and revenue {side} $3 and company_id <> $4
     order by revenue {direction} limit $5)
"""


async def similar(tx: Reader, stored: StoredSubmission, *, sector: str, limit: int) -> list[SimilarCase]:
    """Find the submissions of a product and sector with the nearest revenue, by an index from both sides."""
    near = _NEAR.format(side=">=", direction="") + "union all" + _NEAR.format(side="<", direction="desc")
    statement = f"""
    select n.submission_id, n.name, n.revenue, n.created_at as submitted_at,
           coalesce(q.aggregate_limit, q.requested_aggregate_limit) as aggregate_limit,
           coalesce(q.per_claim_retention, q.aggregate_retention) as retention, q.premium, q.status,
           (select j.actor from journal j
            where j.quote_id = q.quote_id
              and j.trigger in ('approve_referral', 'decline', 'offer_option', 'cancel')
            order by j.entry desc limit 1) as decided_by
    from (select * from ({near}) both_sides order by abs(revenue - $3), created_at desc limit $5) n
    cross join lateral (
        select * from quotes o where o.submission_id = n.submission_id
        order by o.status like 'policy%' desc, o.status in ('published', 'offer_email') desc,
                 o.option_number
        limit 1) q
    order by abs(n.revenue - $3), n.created_at desc
    """
    its, company_id = stored.submission, stored.company_id
    return await tx.rows(SimilarCase, statement, its.product, sector, its.revenue, company_id, limit)
