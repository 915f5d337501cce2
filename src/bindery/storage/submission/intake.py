"""Writing submissions: companies, submissions, options, journal entries and the job, in one statement.

One statement is twice as fast as one per table, and several submissions can share it (`bench/`).
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from bindery.domain.access.caller import Caller
from bindery.domain.applicant.industries import sector_of
from bindery.domain.jobs import PROCESS_SUBMISSION
from bindery.domain.quote.clearance import clearance_keys
from bindery.domain.quote.quote import JournalEntry, Quote
from bindery.domain.submission.parts import searchable_metadata, secondary_broker_of
from bindery.domain.submission.value import Submission, to_snapshot
from bindery.storage.database import Tx
from bindery.storage.jobs.queue import ENQUEUE_COLUMNS, next_turn

_Given = TypeVar("_Given")


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
    trace: str | None = None


class _Option(NamedTuple):
    submission_id: uuid.UUID
    quote: Quote
    entry: JournalEntry


class _Key(NamedTuple):
    submission_id: uuid.UUID
    kind: str
    value: str


# What is given to the statement: each column is a parameter, an array with a place for each row. A column has
# a function that reads its value, and its type.
_SUBMISSIONS: Final[Mapping[str, tuple[Callable[[Intake], object], str]]] = {
    "submission_id": (lambda intake: intake.submission_id, "uuid"),
    "company_id": (lambda intake: intake.company_id, "int"),
    "company_is_new": (lambda intake: intake.company_is_new, "bool"),
    "partner_id": (lambda intake: intake.caller.partner_id, "int"),
    "broker_id": (lambda intake: intake.broker_id, "int"),
    "product": (lambda intake: intake.submission.product, "text"),
    "at": (lambda intake: intake.at, "timestamptz"),
    "name": (lambda intake: intake.submission.name, "text"),
    "revenue": (lambda intake: intake.submission.revenue, "bigint"),
    "sector": (lambda intake: sector_of(intake.submission.industry), "text"),
    "state": (lambda intake: intake.submission.state, "text"),
    "effective": (lambda intake: intake.submission.term.effective, "date"),
    "expiration": (lambda intake: intake.submission.term.expiration, "date"),
    "question_edition": (lambda intake: intake.submission.question_edition, "text"),
    "rated_fingerprint": (lambda intake: intake.submission.rated_fingerprint(), "bytea"),
    "body": (lambda intake: intake.body, "text"),
    "facts": (lambda intake: to_snapshot(intake.submission), "text"),
    "renews": (lambda intake: intake.renews, "uuid"),
    "secondary_broker_email": (lambda intake: secondary_broker_of(intake.body), "text"),
    "key": (lambda intake: intake.caller.idempotency_key, "text"),
    "request_id": (lambda intake: intake.caller.request_id, "text"),
    "trace": (lambda intake: intake.trace, "text"),
    "request_hash": (lambda intake: intake.caller.request_hash, "bytea"),
    "response": (lambda intake: intake.response, "bytea"),
}
_KEYS: Final[Mapping[str, tuple[Callable[[_Key], object], str]]] = {
    "submission_id": (lambda key: key.submission_id, "uuid"),
    "kind": (lambda key: key.kind, "text"),
    "value": (lambda key: key.value, "text"),
}
_OPTIONS: Final[Mapping[str, tuple[Callable[[_Option], object], str]]] = {
    "submission_id": (lambda option: option.submission_id, "uuid"),
    "quote_id": (lambda option: option.quote.quote_id, "uuid"),
    "option_number": (lambda option: option.quote.option_number, "smallint"),
    "status": (lambda option: option.quote.status, "text"),
    "aggregate_limit": (lambda option: option.quote.ask.aggregate_limit, "int"),
    "aggregate_retention": (lambda option: option.quote.ask.aggregate_retention, "int"),
    "per_claim_limit": (lambda option: option.quote.ask.per_claim_limit, "int"),
    "per_claim_retention": (lambda option: option.quote.ask.per_claim_retention, "int"),
    "event_id": (lambda option: option.entry.event_id, "uuid"),
    "actor": (lambda option: option.entry.actor, "text"),
    "trigger": (lambda option: option.entry.trigger, "text"),
    "hash": (lambda option: option.entry.hash(), "bytea"),
}


def _rows(columns: Mapping[str, tuple[Any, str]], *before: Mapping[str, Any]) -> str:
    """Return the SQL of given rows, whose parameters come after those of the ones before."""
    first = 1 + sum(map(len, before))
    arrays = (f"${number}::{kind}[]" for number, (_, kind) in enumerate(columns.values(), first))
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
           jsonb_build_object('partner', lane, 'lane', lane, 'request', request_id, 'trace', trace)
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
    keys = [
        _Key(intake.submission_id, *key) for intake in intakes for key in clearance_keys(intake.submission)
    ]
    options = [
        _Option(intake.submission_id, *born)
        for intake in intakes
        for born in zip(intake.quotes, intake.first_entries, strict=True)
    ]
    arrays = (*_arrays(_SUBMISSIONS, intakes), *_arrays(_KEYS, keys), *_arrays(_OPTIONS, options))
    await tx.execute(_WRITE, *arrays)
    metadata = [
        (intake.caller.partner_id, key, value, intake.at, intake.submission_id)
        for intake in intakes
        for key, value in searchable_metadata(intake.body)
    ]
    if metadata:
        await tx.connection.executemany(_WRITE_METADATA, metadata)


def _arrays(
    columns: Mapping[str, tuple[Callable[[_Given], object], str]], rows: Sequence[_Given]
) -> list[list[object]]:
    return [[read(row) for row in rows] for read, _ in columns.values()]


async def add_option(tx: Tx, quote: Quote, entry: JournalEntry) -> None:
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
