"""The rows of quotes; their status is written by `actions/quote/advance_quote` alone."""

import uuid
from collections.abc import Sequence
from dataclasses import fields, replace

import asyncpg

from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.quote.quote import JournalState, Quote
from bindery.storage.database import Reader, Tx, value_lists

COLUMNS = """
    quote_id, submission_id, company_id, partner_id, option_number, product, status, version, created_at,
    updated_at, requested_aggregate_limit, requested_aggregate_retention, requested_per_claim_limit,
    requested_per_claim_retention, aggregate_limit, aggregate_retention, per_claim_limit, per_claim_retention,
    premium, expires_on, referred_at, error_occurred, red_flags_exist, assessment,
    passed_over_for, journal_entries, journal_hash, quote_events, policy_events, reminders_sent
"""
_SAME = tuple(
    field.name
    for field in fields(Quote)
    if field.name not in {"product", "status", "ask", "terms", "journal"}
)
"""The fields that are columns by the same name and type."""
_TERMS = ("aggregate_limit", "aggregate_retention", "per_claim_limit", "per_claim_retention")
_JOURNAL = ("entries", "hash", "quote_events", "policy_events")


class VersionConflict(BinderyError):
    """The row was changed by somebody who did not hold its lock."""

    code = "version_conflict"


def from_row(row: asyncpg.Record) -> Quote:
    terms = None
    if row["aggregate_limit"] is not None:
        terms = Terms(**{name: row[name] for name in _TERMS})
    return Quote(
        **{name: row[name] for name in _SAME},
        product=InsuranceProduct(row["product"]),
        status=QuoteStatus(row["status"]),
        ask=OptionAsk(
            row["requested_aggregate_limit"],
            row["requested_aggregate_retention"],
            row["requested_per_claim_limit"],
            row["requested_per_claim_retention"],
        ),
        terms=terms,
        journal=JournalState(
            row["journal_entries"], row["journal_hash"], row["quote_events"], row["policy_events"]
        ),
    )


async def read(tx: Reader, which: str, *values: object) -> list[Quote]:
    """Read the quotes that the rest of a statement selects."""
    rows = await tx.connection.fetch(f"select {COLUMNS} from quotes where {which}", *values)
    return [from_row(row) for row in rows]


async def find(tx: Reader, quote_id: uuid.UUID, *, partner_id: int) -> Quote | None:
    found = await read(tx, "quote_id = $1 and partner_id = $2", quote_id, partner_id)
    return found[0] if found else None


async def get(tx: Reader, quote_id: uuid.UUID) -> Quote:
    (quote,) = await read(tx, "quote_id = $1", quote_id)
    return quote


async def first_of(tx: Reader, submission_id: uuid.UUID) -> Quote:
    """Return the first option of a submission: of a renewal, the only one."""
    (quote,) = await read(tx, "submission_id = $1 and option_number = 0", submission_id)
    return quote


async def numbers_of(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> list[int]:
    statement = "select option_number from quotes where quote_id = any($1) order by option_number"
    rows = await tx.connection.fetch(statement, quote_ids)
    return [row["option_number"] for row in rows]


async def lock(tx: Tx, quote_id: uuid.UUID) -> Quote:
    """Read a quote that is known to exist, and hold it until the transaction ends."""
    (quote,) = await read(tx, "quote_id = $1 for no key update", quote_id)
    return quote


async def mark_reminded(tx: Tx, quote_ids: Sequence[uuid.UUID], sent: int) -> None:
    """Note how many reminders of their end locked quotes have had."""
    await tx.execute("update quotes set reminders_sent = $2 where quote_id = any($1)", list(quote_ids), sent)


async def company_of(tx: Reader, quote_id: uuid.UUID) -> int | None:
    return await tx.find_value(int, "select company_id from quotes where quote_id = $1", quote_id)


async def count_others(
    tx: Reader, quote: Quote, *, products: Sequence[InsuranceProduct], statuses: Sequence[QuoteStatus]
) -> int:
    """Count the other quotes of a quote's company that are of these products and statuses."""
    statement = """
    select count(*) from quotes
    where company_id = $1 and product = any($2) and status = any($3) and quote_id <> $4
    """
    values = quote.company_id, list(products), list(statuses), quote.quote_id
    return await tx.value(int, statement, *values)


async def lock_passed_over_for(tx: Tx, quote_id: uuid.UUID) -> list[Quote]:
    passed_over = "passed_over_for = $1 and status = 'quote_not_bound'"
    return await read(tx, f"{passed_over} order by quote_id for no key update", quote_id)


async def lock_all_of_company(tx: Tx, company_id: int) -> list[Quote]:
    return await read(tx, "company_id = $1 order by quote_id for no key update", company_id)


async def lock_of_company(
    tx: Tx, company_id: int, product: InsuranceProduct, statuses: Sequence[QuoteStatus]
) -> list[Quote]:
    """Lock a company's quotes of a product in the given statuses, in an order that cannot dead-lock."""
    return await read(
        tx,
        "company_id = $1 and product = $2 and status = any($3) order by quote_id for no key update",
        company_id,
        product,
        list(statuses),
    )


async def save(tx: Tx, changed: Sequence[Quote]) -> list[Quote]:
    """Write locked quotes back.

    Raises:
        VersionConflict: one of them was not locked after all.
    """
    count = await tx.execute(
        """
        update quotes q set
            status = n.status, version = q.version + 1, updated_at = n.updated_at,
            aggregate_limit = n.aggregate_limit, aggregate_retention = n.aggregate_retention,
            per_claim_limit = n.per_claim_limit, per_claim_retention = n.per_claim_retention,
            premium = n.premium, expires_on = n.expires_on, referred_at = n.referred_at,
            error_occurred = n.error_occurred, red_flags_exist = n.red_flags_exist,
            assessment = n.assessment, journal_entries = n.journal_entries, journal_hash = n.journal_hash,
            quote_events = n.quote_events, policy_events = n.policy_events,
            passed_over_for = n.passed_over_for
        from unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::int[], $6::int[], $7::int[],
                    $8::int[], $9::bigint[], $10::date[], $11::timestamptz[], $12::bool[], $13::bool[],
                    $14::text[], $15::int[], $16::bytea[], $17::int[], $18::int[], $19::uuid[])
             as n(quote_id, version, status, updated_at, aggregate_limit, aggregate_retention,
                  per_claim_limit, per_claim_retention, premium, expires_on, referred_at, error_occurred,
                  red_flags_exist, assessment, journal_entries, journal_hash, quote_events, policy_events,
                  passed_over_for)
        where q.quote_id = n.quote_id and q.version = n.version
        """,
        *value_lists(changed, "quote_id", "version", "status", "updated_at"),
        *value_lists([quote.terms for quote in changed], *_TERMS),
        *value_lists(changed, "premium", "expires_on", "referred_at"),
        *value_lists(changed, "error_occurred", "red_flags_exist", "assessment"),
        *value_lists([quote.journal for quote in changed], *_JOURNAL),
        [quote.passed_over_for for quote in changed],
    )
    if count != len(changed):
        named = ", ".join(str(quote.quote_id) for quote in changed)
        raise VersionConflict(f"A quote changed while it was being worked on: {named}.")
    return [replace(quote, version=quote.version + 1) for quote in changed]
