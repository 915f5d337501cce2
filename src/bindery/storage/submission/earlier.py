import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Final

import asyncpg
import msgspec

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.industries import industry_titles, sector_of
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


class Likeness(StrEnum):
    """How a case is like another: in revenue too, in product and sector alone, or in product and revenue."""

    NEAR = "near"
    SECTOR = "sector"
    PRODUCT = "product"


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
    likeness: Likeness


DECIDED: Final = (
    QuoteStatus.POLICY_ACTIVE,
    QuoteStatus.POLICY_CANCELED,
    QuoteStatus.POLICY_EXPIRED,
    QuoteStatus.QUOTE_BIND_REQUESTED,
    QuoteStatus.PUBLISHED,
    QuoteStatus.OFFER_EMAIL,
    QuoteStatus.QUOTE_EXPIRED,
    QuoteStatus.QUOTE_DECLINED,
)
"""What became of a decided option, bound first: of a submission's options that one is compared."""
LOOKED_AT: Final = 40
"""How many submissions are looked at on either side of a revenue; most of them are decided."""
LOOKED_AT_BY_SECTOR: Final = 3
ENOUGH: Final = 3
"""With fewer comparable cases than this, others are looked for that are less alike."""


_ON_A_SIDE: Final = """
    (select submission_id, name, revenue, created_at, '{likeness}' as likeness from submissions
     where product = $1 and sector = {sector} and revenue {least} and revenue {most} and company_id <> $4
     order by revenue {direction} limit {limit})
"""
_DECIDED: Final = """
    select n.*, q.quote_id, coalesce(q.aggregate_limit, q.requested_aggregate_limit) as aggregate_limit,
           coalesce(q.per_claim_retention, q.aggregate_retention) as retention,
           case when q.status <> 'quote_declined' then q.premium end as premium, q.status
    from ({found}) n
    cross join lateral (
        select * from quotes o where o.submission_id = n.submission_id and o.status = any($6::text[])
        order by array_position($6::text[], o.status), o.option_number limit 1) q
"""


def _both_sides(likeness: Likeness, sector: str, limit: int, *, far: bool = False, only_if: str = "") -> str:
    """Return the decided cases on both sides of a revenue: from half of it to double, or all beyond that."""
    above, below = (">= $3", "<= $3 * 2"), ("< $3", ">= $3 / 2")
    if far:
        above, below = ("> $3 * 2", ">= 0"), ("< $3 / 2", ">= 0")
    sides = [
        _ON_A_SIDE.format(
            likeness=likeness, sector=sector, least=least, most=most, direction=direction, limit=limit
        )
        for (least, most), direction in ((above, ""), (below, "desc"))
    ]
    return _DECIDED.format(found=" union all ".join(f"select * from {side} side {only_if}" for side in sides))


_FEW: Final = f"where (select count(*) from {{}}) < {ENOUGH}"
_LIKENESS: Final = "array['near', 'sector', 'product']"
_SIMILAR: Final = f"""
    with near as materialized ({_both_sides(Likeness.NEAR, "$2", LOOKED_AT)}),
    wide as materialized (
        {_both_sides(Likeness.SECTOR, "$2", LOOKED_AT, far=True, only_if=_FEW.format("near"))}
    ), other as materialized (
        select beside.* from unnest($7::text[]) as of_sector(sector) cross join lateral (
            {_both_sides(Likeness.PRODUCT, "of_sector.sector", LOOKED_AT_BY_SECTOR)}) beside
        where (select count(*) from near) + (select count(*) from wide) < {ENOUGH}
          and of_sector.sector <> $2
    ), nearest as (
        select * from (table near union all table wide union all table other) of_all
        order by array_position({_LIKENESS}, likeness),
                 abs(revenue - $3), created_at desc limit $5
    )
    select n.submission_id, n.name, n.revenue, n.created_at as submitted_at, n.aggregate_limit, n.retention,
           n.premium, n.status, n.likeness,
           (select coalesce(u.name, j.actor) from journal j left join users u on u.email = j.actor
            where j.quote_id = n.quote_id
              and j.trigger in ('approve_referral', 'decline', 'offer_option', 'cancel')
            order by j.entry desc limit 1) as decided_by
    from nearest n
"""


@cache
def _sectors() -> list[str]:
    return sorted({sector_of(code) for code in industry_titles()} | {""})


async def similar(tx: Reader, stored: StoredSubmission, *, sector: str, limit: int) -> list[SimilarCase]:
    """Find decided cases of a product and sector from half to double the revenue, the nearest first.

    With too few of them, others of the sector follow, and then of the product. All are found by an index, and
    a bounded number is looked at.
    """
    its, company_id = stored.submission, stored.company_id
    return await tx.rows(
        SimilarCase,
        _SIMILAR,
        its.product,
        sector,
        its.revenue,
        company_id,
        limit,
        list(DECIDED),
        _sectors(),
    )
