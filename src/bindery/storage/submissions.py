import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.jobs import PLAY_UNDERWRITER, PROCESS_SUBMISSION
from bindery.domain.quote import Quote
from bindery.domain.scan import ScanResult
from bindery.domain.submission.value import Submission, from_snapshot
from bindery.storage.database import Tx
from bindery.storage.queue import no_live_job
from bindery.storage.quotes import COLUMNS, from_row

read_scan = msgspec.json.Decoder(ScanResult).decode


class UnreadableSubmission(Exception):
    """What is stored of a submission cannot be read back, today or tomorrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSubmission:
    """A submission as the worker finds it."""

    submission_id: uuid.UUID
    company_id: int
    partner_id: int
    broker_id: int
    created_at: datetime
    submission: Submission
    scan: ScanResult | None
    starts: int
    renews: uuid.UUID | None
    body: str


async def find(tx: Tx, submission_id: uuid.UUID) -> StoredSubmission | None:
    """Find a submission.

    Raises:
        UnreadableSubmission: it is there, but not in a form that this version reads.
    """
    row = await tx.connection.fetchrow(
        """
        select submission_id, company_id, partner_id, broker_id, created_at, facts, scan, starts, renews, body
        from submissions where submission_id = $1
        """,
        submission_id,
    )
    if row is None:
        return None
    try:
        submission = from_snapshot(row["facts"])
        scan = read_scan(row["scan"]) if row["scan"] else None
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, ArithmeticError) as fault:
        raise UnreadableSubmission(f"Submission {submission_id} cannot be read: {fault!r}") from fault
    return StoredSubmission(
        submission_id=row["submission_id"],
        company_id=row["company_id"],
        partner_id=row["partner_id"],
        broker_id=row["broker_id"],
        created_at=row["created_at"],
        submission=submission,
        scan=scan,
        starts=row["starts"],
        renews=row["renews"],
        body=row["body"],
    )


async def count_start(tx: Tx, submission_id: uuid.UUID) -> int:
    """Count that the work on a submission starts, and return how often it has."""
    starts: int | None = await tx.connection.fetchval(
        "update submissions set starts = starts + 1 where submission_id = $1 returning starts", submission_id
    )
    return starts or 0


async def keep_scan(tx: Tx, submission_id: uuid.UUID, scan: ScanResult) -> None:
    """Keep what the scan found; the first result stays."""
    await tx.connection.execute(
        "update submissions set scan = $2 where submission_id = $1 and scan is null",
        submission_id,
        msgspec.json.encode(scan).decode(),
    )


async def lock_options(tx: Tx, submission_id: uuid.UUID, statuses: Sequence[str]) -> list[Quote]:
    """Hold the options of a submission that are in the given statuses, in their order."""
    rows = await tx.connection.fetch(
        f"""
        select {COLUMNS} from quotes where submission_id = $1 and status = any($2)
        order by quote_id for no key update
        """,
        submission_id,
        list(statuses),
    )
    return [from_row(row) for row in rows]


async def options_in(tx: Tx, submission_id: uuid.UUID, status: QuoteStatus) -> list[uuid.UUID]:
    """Find the options of a submission that are in a status."""
    rows = await tx.connection.fetch(
        "select quote_id from quotes where submission_id = $1 and status = $2 order by option_number",
        submission_id,
        status,
    )
    return [row["quote_id"] for row in rows]


async def options_with(tx: Tx, submission_id: uuid.UUID, status: QuoteStatus) -> list[Quote]:
    """Read the options of a submission that are in a status, without holding them."""
    rows = await tx.connection.fetch(
        f"select {COLUMNS} from quotes where submission_id = $1 and status = $2 order by option_number",
        submission_id,
        status,
    )
    return [from_row(row) for row in rows]


async def standing_still(tx: Tx, *, before: datetime, limit: int) -> list[uuid.UUID]:
    """Find submissions with options that are in the pipeline, have not moved since then and have no job."""
    rows = await tx.connection.fetch(
        f"""
        select distinct submission_id from quotes q
        where status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible')
          and updated_at < $1 and {no_live_job("$3", "q.submission_id")}
        limit $2
        """,
        before,
        limit,
        PROCESS_SUBMISSION,
    )
    return [row["submission_id"] for row in rows]


async def bind_requests(tx: Tx, *, before: datetime, limit: int) -> list[tuple[uuid.UUID, str]]:
    """Find submissions, with their names, of whose options a bind has waited for a decision since then."""
    rows = await tx.connection.fetch(
        f"""
        select distinct s.submission_id, s.name from quotes q join submissions s using (submission_id)
        where q.status = 'quote_bind_requested' and q.updated_at < $1
          and {no_live_job("$3", "q.submission_id")}
        limit $2
        """,
        before,
        limit,
        PLAY_UNDERWRITER,
    )
    return [(row["submission_id"], row["name"]) for row in rows]


async def has_other_broker(tx: Tx, stored: StoredSubmission, keys: Sequence[tuple[str, str]]) -> bool:
    """Say whether the company is on file with another broker of the same partner.

    It is, when an earlier submission of it came through one, or one of a company that shares any of the keys.
    """
    found: bool = await tx.connection.fetchval(
        """
        select exists (
            select from submissions where company_id = $1 and broker_id <> $2 and created_at < $3
        ) or exists (
            select from unnest($4::text[], $5::text[]) as asked(kind, value)
            join clearance_keys k on k.kind = asked.kind and k.value = asked.value
            where k.partner_id = $6 and k.broker_id <> $2 and k.submitted_at < $3
        )
        """,
        stored.company_id,
        stored.broker_id,
        stored.created_at,
        [kind for kind, _ in keys],
        [value for _, value in keys],
        stored.partner_id,
    )
    return found


async def renewals_in_pipeline(tx: Tx) -> list[uuid.UUID]:
    """Find renewals that have not come to their end yet."""
    rows = await tx.connection.fetch(
        """
        select distinct q.submission_id from quotes q join submissions s using (submission_id)
        where q.status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible')
          and s.renews is not null
        """
    )
    return [row["submission_id"] for row in rows]


async def mark_renewal(tx: Tx, submission_id: uuid.UUID, *, renews: uuid.UUID) -> None:
    """Note which policy a submission renews."""
    await tx.connection.execute(
        "update submissions set renews = $2 where submission_id = $1", submission_id, renews
    )


async def renewed_by(tx: Tx, submission_id: uuid.UUID) -> uuid.UUID | None:
    """Give the quote of the policy that a submission renews."""
    renews: uuid.UUID | None = await tx.connection.fetchval(
        "select renews from submissions where submission_id = $1", submission_id
    )
    return renews
