"""Writing submissions: companies, submissions, options, journal entries and the job, in one statement.

One statement is twice as fast as one per table, and several submissions can share it (`bench/`).
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from bindery.domain.clearance import clearance_keys
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.domain.quote import JournalEntry, Quote
from bindery.domain.submission.value import Submission, to_snapshot
from bindery.storage.database import Tx
from bindery.storage.queue import ENQUEUE_COLUMNS, next_turn


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """The answer to keep for a request that may be sent again."""

    partner_id: int
    key: str
    request_hash: bytes
    response: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Everything one accepted request writes."""

    submission_id: uuid.UUID
    company_id: int
    company_is_new: bool
    partner_id: int
    broker_id: int
    at: datetime
    submission: Submission
    body: str
    quotes: Sequence[Quote]
    first_entries: Sequence[JournalEntry]
    idempotency: IdempotencyRecord | None


_WRITE = f"""
with new_companies as (
    insert into companies (company_id, partner_id, created_at)
    select * from unnest($1::int[], $2::int[], $3::timestamptz[])
), new_submissions as (
    insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at, name,
                             revenue, state, effective, expiration, question_edition, rated_fingerprint,
                             body, facts)
    select * from unnest($4::uuid[], $5::int[], $6::int[], $7::int[], $8::text[], $9::timestamptz[],
                         $10::text[], $11::bigint[], $12::text[], $13::date[], $14::date[], $15::text[],
                         $16::bytea[], $17::text[], $18::text[])
), new_keys as (
    insert into clearance_keys (kind, value, company_id, partner_id, broker_id, submitted_at)
    select * from unnest($19::text[], $20::text[], $21::int[], $22::int[], $23::int[], $24::timestamptz[])
), new_quotes as (
    insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product, status,
                        created_at, updated_at, requested_aggregate_limit, requested_aggregate_retention,
                        requested_per_claim_limit, requested_per_claim_retention, journal_hash)
    select q, s, c, p, n, x, t, a, a, l, r, pl, pr, h
    from unnest($25::uuid[], $26::uuid[], $27::int[], $28::int[], $29::smallint[], $30::text[], $31::text[],
                $32::timestamptz[], $33::int[], $34::int[], $35::int[], $36::int[], $37::bytea[])
         as o(q, s, c, p, n, x, t, a, l, r, pl, pr, h)
), new_entries as (
    insert into journal (quote_id, entry, event_id, at, actor, trigger, status_after, hash)
    select q, 1, e, a, w, t, s, h
    from unnest($25::uuid[], $38::uuid[], $32::timestamptz[], $39::text[], $40::text[], $31::text[],
                $37::bytea[])
         as j(q, e, a, w, t, s, h)
), lanes as (
    select partner_id, partner_key as lane, {next_turn("partner_key")} as turn
    from partners where partner_id = any($6)
), new_jobs as (
    insert into pgq.pgqueuer ({ENQUEUE_COLUMNS})
    select 1 - turn - row_number() over (partition by lane order by place), '{PROCESS_SUBMISSION}',
           convert_to(s::text, 'UTF8'), 'queued', '{PROCESS_SUBMISSION}:' || s::text,
           jsonb_build_object('partner', lane, 'lane', lane)
    from unnest($4::uuid[], $6::int[]) with ordinality as j(s, partner_id, place)
    join lanes using (partner_id)
    order by place
), new_answers as (
    insert into idempotency_keys (partner_id, key, request_hash, response, created_at)
    select * from unnest($41::int[], $42::text[], $43::bytea[], $44::bytea[], $45::timestamptz[])
)
select 1
"""


async def write(tx: Tx, intakes: Sequence[Intake]) -> None:
    """Write accepted requests, all of them or none."""
    fresh = [intake for intake in intakes if intake.company_is_new]
    keys = [(kind, value, intake) for intake in intakes for kind, value in clearance_keys(intake.submission)]
    options = [(quote, intake) for intake in intakes for quote in intake.quotes]
    entries = [entry for intake in intakes for entry in intake.first_entries]
    records = [(intake.idempotency, intake.at) for intake in intakes if intake.idempotency is not None]
    effective: list[date] = [intake.submission.term.effective for intake in intakes]
    await tx.connection.execute(
        _WRITE,
        [intake.company_id for intake in fresh],
        [intake.partner_id for intake in fresh],
        [intake.at for intake in fresh],
        [intake.submission_id for intake in intakes],
        [intake.company_id for intake in intakes],
        [intake.partner_id for intake in intakes],
        [intake.broker_id for intake in intakes],
        [intake.submission.product for intake in intakes],
        [intake.at for intake in intakes],
        [intake.submission.name for intake in intakes],
        [intake.submission.revenue for intake in intakes],
        [intake.submission.state for intake in intakes],
        effective,
        [intake.submission.term.expiration for intake in intakes],
        [intake.submission.question_edition for intake in intakes],
        [intake.submission.rated_fingerprint() for intake in intakes],
        [intake.body for intake in intakes],
        [to_snapshot(intake.submission) for intake in intakes],
        [kind for kind, _, _ in keys],
        [value for _, value, _ in keys],
        [intake.company_id for _, _, intake in keys],
        [intake.partner_id for _, _, intake in keys],
        [intake.broker_id for _, _, intake in keys],
        [intake.at for _, _, intake in keys],
        [quote.quote_id for quote, _ in options],
        [quote.submission_id for quote, _ in options],
        [quote.company_id for quote, _ in options],
        [quote.partner_id for quote, _ in options],
        [quote.option_number for quote, _ in options],
        [quote.product for quote, _ in options],
        [quote.status for quote, _ in options],
        [quote.created_at for quote, _ in options],
        [quote.ask.aggregate_limit for quote, _ in options],
        [quote.ask.aggregate_retention for quote, _ in options],
        [quote.ask.per_claim_limit for quote, _ in options],
        [quote.ask.per_claim_retention for quote, _ in options],
        [entry.hash() for entry in entries],
        [entry.event_id for entry in entries],
        [entry.actor for entry in entries],
        [entry.trigger for entry in entries],
        [record.partner_id for record, _ in records],
        [record.key for record, _ in records],
        [record.request_hash for record, _ in records],
        [record.response for record, _ in records],
        [at for _, at in records],
    )
