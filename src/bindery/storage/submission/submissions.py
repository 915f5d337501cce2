import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import Any

import asyncpg
import msgspec

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.jobs import PLAY_UNDERWRITER, PROCESS_SUBMISSION
from bindery.domain.quote.clearance import Applying, Key, clearance_keys
from bindery.domain.quote.handing_over import BrokersOfCompany, with_brokers
from bindery.domain.quote.quote import Quote
from bindery.domain.scan.scan import ScanResult
from bindery.domain.submission.value import Submission, from_snapshot, to_snapshot
from bindery.storage.database import Reader, Tx
from bindery.storage.jobs.queue import no_live_job
from bindery.storage.quote import quotes

read_scan = msgspec.json.Decoder(ScanResult).decode


class UnreadableSubmission(Exception):
    """What is stored of a submission cannot be read back, today or tomorrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSubmission:
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


COLUMNS = "submission_id, company_id, partner_id, broker_id, created_at, facts, scan, starts, renews, body"
_AS_STORED = [each.name for each in fields(StoredSubmission) if each.name not in {"submission", "scan"}]


def from_row(row: asyncpg.Record) -> StoredSubmission:
    try:
        submission = from_snapshot(row["facts"])
        scan = read_scan(row["scan"]) if row["scan"] else None
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, ArithmeticError) as fault:
        raise UnreadableSubmission(f"Submission {row['submission_id']} cannot be read: {fault!r}") from fault
    return StoredSubmission(**{name: row[name] for name in _AS_STORED}, submission=submission, scan=scan)


async def get(tx: Reader, submission_id: uuid.UUID) -> StoredSubmission:
    """Read a submission that is known to exist.

    Raises:
        UnreadableSubmission: it is not in a form that this version reads.
    """
    statement = f"select {COLUMNS} from submissions where submission_id = $1"
    row = await tx.connection.fetchrow(statement, submission_id)
    assert row is not None, "a submission is never deleted"
    return from_row(row)


async def newest(tx: Reader, company_id: int, *, partner_id: int) -> StoredSubmission | None:
    statement = f"""
    select {COLUMNS} from submissions where company_id = $1 and partner_id = $2
    order by created_at desc, submission_id desc limit 1
    """
    row = await tx.connection.fetchrow(statement, company_id, partner_id)
    return None if row is None else from_row(row)


async def start(
    tx: Tx, submission_ids: Sequence[uuid.UUID]
) -> dict[uuid.UUID, Callable[[], StoredSubmission]]:
    """Count that the work on submissions starts, and return what reads each of them.

    The caller reads one after the count is committed: reading it may be what ends the worker.
    """
    rows = await tx.connection.fetch(
        f"update submissions set starts = starts + 1 where submission_id = any($1) returning {COLUMNS}",
        list(submission_ids),
    )
    return {row["submission_id"]: partial(from_row, row) for row in rows}


async def keep_scans(tx: Tx, scans: Mapping[uuid.UUID, ScanResult]) -> None:
    """Keep what scans found; the first result of a submission stays."""
    statement = """
    update submissions s set scan = n.scan
    from unnest($1::uuid[], $2::text[]) as n(submission_id, scan)
    where s.submission_id = n.submission_id and s.scan is null
    """
    await tx.execute(statement, list(scans), [msgspec.json.encode(scan).decode() for scan in scans.values()])


async def lock_options(
    tx: Tx, submission_ids: Sequence[uuid.UUID], statuses: Sequence[str]
) -> dict[uuid.UUID, list[Quote]]:
    """Lock the options of submissions that are in the given statuses; each submission's in their order."""
    locked = await quotes.read(
        tx,
        "submission_id = any($1) and status = any($2) order by quote_id for no key update",
        list(submission_ids),
        list(statuses),
    )
    found: dict[uuid.UUID, list[Quote]] = {submission_id: [] for submission_id in submission_ids}
    for quote in locked:
        found[quote.submission_id].append(quote)
    return found


async def options_of(tx: Reader, submission_id: uuid.UUID) -> list[Quote]:
    return await quotes.read(tx, "submission_id = $1 order by option_number", submission_id)


async def options_in(tx: Reader, submission_id: uuid.UUID, status: QuoteStatus) -> list[uuid.UUID]:
    statement = "select quote_id from quotes where submission_id = $1 and status = $2 order by option_number"
    return await tx.column(uuid.UUID, statement, submission_id, status)


async def standing_still(tx: Reader, *, before: datetime, limit: int) -> list[uuid.UUID]:
    statement = f"""
    select distinct submission_id from quotes q
    where status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible')
      and updated_at < $1 and {no_live_job("$3", "q.submission_id")}
    limit $2
    """
    return await tx.column(uuid.UUID, statement, before, limit, PROCESS_SUBMISSION)


async def bind_requests(tx: Reader, *, before: datetime, limit: int) -> list[tuple[uuid.UUID, str]]:
    statement = f"""
    select distinct s.submission_id, s.name from quotes q join submissions s using (submission_id)
    where q.status = 'quote_bind_requested' and q.updated_at < $1
      and {no_live_job("$3", "q.submission_id")}
    limit $2
    """
    rows = await tx.connection.fetch(statement, before, limit, PLAY_UNDERWRITER)
    return [(row["submission_id"], row["name"]) for row in rows]


async def with_other_broker(
    tx: Reader, asked: Mapping[uuid.UUID, Sequence[tuple[str, str]]]
) -> frozenset[uuid.UUID]:
    """Find the submissions whose company is on file with another broker of the same partner.

    It is, when an earlier submission of it came through one, or one of a company that shares any of the keys.
    """
    keys = [(submission_id, *key) for submission_id, its_keys in asked.items() for key in its_keys]
    rows = await tx.connection.fetch(
        """
        select s.submission_id from submissions s
        where s.submission_id = any($1) and (
            exists (
                select from submissions e
                where e.company_id = s.company_id and e.broker_id <> s.broker_id
                  and e.created_at < s.created_at
            ) or exists (
                select from unnest($2::uuid[], $3::text[], $4::text[]) as asked(submission_id, kind, value)
                join clearance_keys k on k.kind = asked.kind and k.value = asked.value
                where asked.submission_id = s.submission_id and k.partner_id = s.partner_id
                  and k.broker_id <> s.broker_id and k.submitted_at < s.created_at
            )
        )
        """,
        list(asked),
        [submission_id for submission_id, _, _ in keys],
        [kind for _, kind, _ in keys],
        [value for _, _, value in keys],
    )
    return frozenset(row["submission_id"] for row in rows)


async def renewals_in_pipeline(tx: Reader) -> list[uuid.UUID]:
    statement = """
    select distinct q.submission_id from quotes q join submissions s using (submission_id)
    where q.status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible')
      and s.renews is not null
    """
    return await tx.column(uuid.UUID, statement)


async def renewed_by(tx: Reader, submission_id: uuid.UUID) -> uuid.UUID | None:
    statement = "select renews from submissions where submission_id = $1"
    return await tx.find_value(uuid.UUID, statement, submission_id)


async def name_of(
    tx: Reader,
    *,
    company_id: int | None = None,
    quote_id: uuid.UUID | None = None,
    submission_id: uuid.UUID | None = None,
    partner_id: int | None,
) -> str:
    """Return the newest name of the company of any of these; empty if it is not the partner's."""
    statement = """
    select name from submissions
    where company_id = coalesce($1, (select company_id from quotes where quote_id = $2),
                                (select company_id from submissions where submission_id = $3))
      and ($4::integer is null or partner_id = $4)
    order by created_at desc limit 1
    """
    return await tx.find_value(str, statement, company_id, quote_id, submission_id, partner_id) or ""


async def exists(tx: Reader, company_id: int, *, partner_id: int) -> bool:
    statement = "select exists (select from companies where company_id = $1 and partner_id = $2)"
    return await tx.value(bool, statement, company_id, partner_id)


async def lock(tx: Tx, company_id: int) -> None:
    """Lock a company, so that its submissions come one after the other."""
    await tx.execute("select from companies where company_id = $1 for no key update", company_id)


async def newest_rated_fingerprint(tx: Reader, company_id: int, product: InsuranceProduct) -> bytes | None:
    statement = """
    select rated_fingerprint from submissions where company_id = $1 and product = $2
    order by created_at desc, submission_id desc limit 1
    """
    return await tx.find_value(bytes, statement, company_id, product)


async def hold_keys(tx: Tx, keys: Sequence[Key]) -> None:
    """Lock these keys until the transaction ends, so that submissions that share one take turns."""
    # Sorted, so that two submissions that share several keys cannot wait for each other.
    numbers = sorted(
        int.from_bytes(hashlib.sha256(f"{kind}:{value}".encode()).digest()[:8], "big", signed=True)
        for kind, value in keys
    )
    await tx.execute("select pg_advisory_xact_lock(n) from unnest($1::bigint[]) as n", numbers)


async def taken_keys(
    tx: Reader, applying: Sequence[Applying], *, since: datetime
) -> dict[Key, frozenset[int]]:
    asked = [(*key, applicant.company_id) for applicant in applying for key in applicant.keys]
    rows = await tx.connection.fetch(
        """
        select k.kind, k.value, array_agg(distinct k.partner_id) as partners
        from unnest($1::text[], $2::text[], $3::int[]) as asked(kind, value, company_id)
        join clearance_keys k on k.kind = asked.kind and k.value = asked.value
        where k.submitted_at >= $4 and (asked.company_id is null or k.company_id <> asked.company_id)
        group by k.kind, k.value
        """,
        [kind for kind, _, _ in asked],
        [value for _, value, _ in asked],
        [company_id for _, _, company_id in asked],
        since,
    )
    return {(row["kind"], row["value"]): frozenset(row["partners"]) for row in rows}


async def brokers_of(tx: Reader, company_id: int, *, partner_id: int) -> BrokersOfCompany | None:
    """Return with whom a partner's company is, by what was submitted for it last."""
    statement = """
    select b.email as broker, s.secondary_broker_email as secondary
    from submissions s join brokers b using (broker_id)
    where s.company_id = $1 and s.partner_id = $2 order by s.created_at desc limit 1
    """
    return await tx.row(BrokersOfCompany, statement, company_id, partner_id)


async def change_insured(
    tx: Tx, stored: StoredSubmission, submission: Submission, client: Mapping[str, Any]
) -> None:
    """Write what a policy's insured is from now on, wherever a submission says so."""
    body = msgspec.json.decode(stored.body)
    body["client"].update(client)
    await tx.update(
        "submissions",
        {"submission_id": stored.submission_id},
        name=submission.name,
        rated_fingerprint=submission.rated_fingerprint(),
        body=msgspec.json.encode(body).decode(),
        facts=to_snapshot(submission),
    )
    known = set(clearance_keys(stored.submission))
    for kind, value in clearance_keys(submission):
        if (kind, value) not in known:
            row = {
                "kind": kind,
                "value": value,
                "company_id": stored.company_id,
                "partner_id": stored.partner_id,
                "broker_id": stored.broker_id,
                "submitted_at": tx.now,
            }
            await tx.insert("clearance_keys", row)


async def hand_over(tx: Tx, company_id: int, brokers: BrokersOfCompany, *, broker_id: int) -> None:
    """Write who a locked company is with, wherever its submissions say so.

    Mails, documents, renewals and the API read it from the request and the facts, lists from the columns.
    """
    rows = await tx.connection.fetch(f"select {COLUMNS} from submissions where company_id = $1", company_id)
    for row in rows:
        facts = msgspec.json.decode(row["facts"]) | {"broker_email": brokers.broker}
        await tx.update(
            "submissions",
            {"submission_id": row["submission_id"]},
            broker_id=broker_id,
            secondary_broker_email=brokers.secondary,
            body=with_brokers(row["body"], brokers),
            facts=msgspec.json.encode(facts).decode(),
        )
    keys = {key for row in rows for key in clearance_keys(from_row(row).submission)}
    # By value, as they are indexed.
    await tx.execute(
        """
        update clearance_keys k set broker_id = $2
        from unnest($3::text[], $4::text[]) as its(kind, value)
        where k.kind = its.kind and k.value = its.value and k.company_id = $1
        """,
        company_id,
        broker_id,
        [kind for kind, _ in keys],
        [value for _, value in keys],
    )
    # What is shown of quotes that are over has changed as well.
    await tx.execute("update quotes set shown_version = shown_version where company_id = $1", company_id)
