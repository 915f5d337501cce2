"""Writing submissions: companies, submissions, options, journal entries and the job, in one statement.

One statement is twice as fast as one per table, and several submissions can share it (`bench/`).
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from bindery.domain.access.caller import Caller
from bindery.domain.applicant.industries import sector_of
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.domain.quote.clearance import clearance_keys
from bindery.domain.quote.quote import JournalEntry, Quote
from bindery.domain.submission.parts import searchable_metadata, secondary_broker_of
from bindery.domain.submission.value import Submission, to_snapshot
from bindery.storage.database import Tx
from bindery.storage.jobs.queue import ENQUEUE_COLUMNS, next_turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Everything one accepted request writes; the response is kept where the caller has a key."""

    caller: Caller
    submission_id: uuid.UUID
    company_id: int
    company_is_new: bool
    broker_id: int
    at: datetime
    submission: Submission
    renews: uuid.UUID | None
    body: str
    quotes: Sequence[Quote]
    first_entries: Sequence[JournalEntry]
    response: bytes


# What is given to the statement: each column is a parameter, an array with a place for each row.
_SUBMISSIONS: Final = {
    "submission_id": "uuid",
    "company_id": "int",
    "company_is_new": "bool",
    "partner_id": "int",
    "broker_id": "int",
    "product": "text",
    "at": "timestamptz",
    "name": "text",
    "revenue": "bigint",
    "sector": "text",
    "state": "text",
    "effective": "date",
    "expiration": "date",
    "question_edition": "text",
    "rated_fingerprint": "bytea",
    "body": "text",
    "facts": "text",
    "renews": "uuid",
    "secondary_broker_email": "text",
    "key": "text",
    "request_hash": "bytea",
    "response": "bytea",
}
_KEYS: Final = {"submission_id": "uuid", "kind": "text", "value": "text"}
_OPTIONS: Final = {
    "submission_id": "uuid",
    "quote_id": "uuid",
    "option_number": "smallint",
    "status": "text",
    "aggregate_limit": "int",
    "aggregate_retention": "int",
    "per_claim_limit": "int",
    "per_claim_retention": "int",
    "event_id": "uuid",
    "actor": "text",
    "trigger": "text",
    "hash": "bytea",
}


def _rows(columns: Mapping[str, str], *before: Mapping[str, str]) -> str:
    """Return the SQL of given rows, whose parameters come after those of the ones before."""
    first = 1 + sum(len(others) for others in before)
    arrays = (f"${number}::{kind}[]" for number, kind in enumerate(columns.values(), first))
    return f"unnest({', '.join(arrays)}) with ordinality as given({', '.join(columns)}, place)"


_WRITE = f"""
with asked as (
    select * from {_rows(_SUBMISSIONS)}
), keys as (
    select * from {_rows(_KEYS, _SUBMISSIONS)}
), options as (
    select * from {_rows(_OPTIONS, _SUBMISSIONS, _KEYS)}
), new_companies as (
    insert into companies (company_id, partner_id, created_at)
    select company_id, partner_id, at from asked where company_is_new
), new_submissions as (
    insert into submissions (submission_id, company_id, partner_id, broker_id, product, created_at, name,
                             revenue, sector, state, effective, expiration, question_edition,
                             rated_fingerprint, body, facts, renews, secondary_broker_email)
    select submission_id, company_id, partner_id, broker_id, product, at, name, revenue, sector, state,
           effective, expiration, question_edition, rated_fingerprint, body, facts, renews,
           lower(secondary_broker_email)
    from asked
), new_keys as (
    insert into clearance_keys (kind, value, company_id, partner_id, broker_id, submitted_at)
    select kind, value, company_id, partner_id, broker_id, at from keys join asked using (submission_id)
), new_quotes as (
    insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product, status,
                        created_at, updated_at, requested_aggregate_limit, requested_aggregate_retention,
                        requested_per_claim_limit, requested_per_claim_retention, journal_hash)
    select quote_id, submission_id, company_id, partner_id, option_number, product, status, at, at,
           aggregate_limit, aggregate_retention, per_claim_limit, per_claim_retention, hash
    from options join asked using (submission_id)
), new_entries as (
    insert into journal (quote_id, entry, event_id, at, actor, trigger, status_after, hash)
    select quote_id, 1, event_id, at, actor, trigger, status, hash
    from options join asked using (submission_id)
), lanes as (
    select partner_id, partner_key as lane, {next_turn("partner_key")} as turn
    from partners where partner_id in (select partner_id from asked)
), new_jobs as (
    insert into pgq.pgqueuer ({ENQUEUE_COLUMNS})
    select 1 - turn - row_number() over (partition by lane order by place), '{PROCESS_SUBMISSION}',
           convert_to(submission_id::text, 'UTF8'), 'queued', '{PROCESS_SUBMISSION}:' || submission_id::text,
           jsonb_build_object('partner', lane, 'lane', lane)
    from asked join lanes using (partner_id)
    order by place
), new_answers as (
    insert into idempotency_keys (partner_id, key, request_hash, response, created_at)
    select partner_id, key, request_hash, response, at from asked where key is not null
)
select 1
"""

# Apart, because hardly any submission has metadata.
_WRITE_METADATA = """
insert into submission_metadata (partner_id, key, value, created_at, submission_id)
values ($1, $2, $3, $4, $5)
"""

# An option that an underwriter offers is born alone: its submission is there already.
_ADD_OPTION = """
with born as (
    insert into quotes (quote_id, submission_id, company_id, partner_id, option_number, product, status,
                        created_at, updated_at, requested_aggregate_limit, requested_aggregate_retention,
                        requested_per_claim_limit, requested_per_claim_retention, journal_hash)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13)
    returning quote_id, created_at, status, journal_hash
)
insert into journal (quote_id, entry, event_id, at, actor, trigger, status_after, hash)
select quote_id, 1, $14, created_at, $15, $16, status, journal_hash from born
"""


async def write(tx: Tx, intakes: Sequence[Intake]) -> None:
    """Write accepted requests, all of them or none."""
    await tx.execute(
        _WRITE,
        *_arrays(_SUBMISSIONS, [_submission_row(intake) for intake in intakes]),
        *_arrays(_KEYS, [row for intake in intakes for row in _key_rows(intake)]),
        *_arrays(_OPTIONS, [row for intake in intakes for row in _option_rows(intake)]),
    )
    metadata = [row for intake in intakes for row in _metadata_rows(intake)]
    if metadata:
        await tx.connection.executemany(_WRITE_METADATA, metadata)


async def add_option(tx: Tx, quote: Quote, entry: JournalEntry) -> None:
    """Write one option more of a submission, with the first entry of its journal."""
    ask = quote.ask
    await tx.execute(
        _ADD_OPTION,
        quote.quote_id,
        quote.submission_id,
        quote.company_id,
        quote.partner_id,
        quote.option_number,
        quote.product,
        quote.status,
        quote.created_at,
        ask.aggregate_limit,
        ask.aggregate_retention,
        ask.per_claim_limit,
        ask.per_claim_retention,
        entry.hash(),
        entry.event_id,
        entry.actor,
        entry.trigger,
    )


def _arrays(columns: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    return [[row[column] for row in rows] for column in columns]


def _submission_row(intake: Intake) -> Mapping[str, Any]:
    submission, caller = intake.submission, intake.caller
    return {
        "submission_id": intake.submission_id,
        "company_id": intake.company_id,
        "company_is_new": intake.company_is_new,
        "partner_id": caller.partner_id,
        "broker_id": intake.broker_id,
        "product": submission.product,
        "at": intake.at,
        "name": submission.name,
        "revenue": submission.revenue,
        "sector": sector_of(submission.industry),
        "state": submission.state,
        "effective": submission.term.effective,
        "expiration": submission.term.expiration,
        "question_edition": submission.question_edition,
        "rated_fingerprint": submission.rated_fingerprint(),
        "body": intake.body,
        "facts": to_snapshot(submission),
        "renews": intake.renews,
        "secondary_broker_email": secondary_broker_of(intake.body),
        "key": caller.idempotency_key,
        "request_hash": caller.request_hash,
        "response": intake.response,
    }


def _key_rows(intake: Intake) -> Iterable[Mapping[str, Any]]:
    for kind, value in clearance_keys(intake.submission):
        yield {"submission_id": intake.submission_id, "kind": kind, "value": value}


def _metadata_rows(intake: Intake) -> Iterable[tuple[object, ...]]:
    for key, value in searchable_metadata(intake.body):
        yield intake.caller.partner_id, key, value, intake.at, intake.submission_id


def _option_rows(intake: Intake) -> Iterable[Mapping[str, Any]]:
    for quote, entry in zip(intake.quotes, intake.first_entries, strict=True):
        yield {
            "submission_id": intake.submission_id,
            "quote_id": quote.quote_id,
            "option_number": quote.option_number,
            "status": quote.status,
            "aggregate_limit": quote.ask.aggregate_limit,
            "aggregate_retention": quote.ask.aggregate_retention,
            "per_claim_limit": quote.ask.per_claim_limit,
            "per_claim_retention": quote.ask.per_claim_retention,
            "event_id": entry.event_id,
            "actor": entry.actor,
            "trigger": entry.trigger,
            "hash": entry.hash(),
        }
