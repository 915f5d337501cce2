"""A sweep and the job that it queues agree about what is due, in every state that a row can have."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import product
from typing import Any

import pytest

from bindery.actions.timetable.sweep import BATCH, SWEEPS
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.messages.desk_mails import is_quote_reminder_due
from bindery.domain.messages.notice_mails import is_lapse_reminder_due
from bindery.domain.policy.ending import EndTerm, ExpireQuote, decide_expiry, decide_term_end
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import awaits_settlement, is_reminder_due, is_renewal_due
from bindery.domain.quote.quote import is_stale
from bindery.storage.database import Tx
from support.policies import a_policy, a_quote
from support.service import Service

TODAY = date(2027, 12, 1)
DAYS = (-1, 0, 1, 2, 3, 7, 8, 9, 10, 11, 14, 15, 29, 30, 31, 59, 60, 61)
"""How long policies still run: both sides of every deadline."""

OF_POLICIES: Mapping[tuple[str, ...], Callable[[Policy, date], bool]] = {
    ("submit_renewal",): is_renewal_due,
    ("remind_of_renewal", "remind_again_of_renewal"): is_reminder_due,
    ("settle_renewal",): awaits_settlement,
    ("end_term",): lambda policy, today: isinstance(decide_term_end(policy, today), EndTerm),
    ("lapse_binder",): Policy.is_lapsed,
    ("remind_of_lapse_1", "remind_of_lapse_2", "remind_of_lapse_3"): is_lapse_reminder_due,
}
BOTH = (False, True)


@cache
def policies_that_end(expiration: date) -> tuple[Policy, ...]:
    """Make a policy for every combination of what a sweep or its job looks at."""
    term = replace(a_policy().term, expiration=expiration)
    made: list[Policy] = []
    combinations = product(BOTH, BOTH, RenewalType, BOTH, BOTH, BOTH, (0, 1, 2, 3), (None, 0, 1))
    for number, combination in enumerate(combinations, start=1):
        in_force, is_issued, renewal_type, is_submitted, is_offered, is_settled, sent, received = combination
        policy = a_policy(
            quote_id=uuid.UUID(int=number),
            term=term,
            in_force=in_force,
            issued_on=term.effective if is_issued else None,
            # The binders of this test have as long as their policies.
            fulfil_by=None if is_issued else expiration,
            renewal_type=renewal_type,
            renewal_submission_id=uuid.UUID(int=10_000) if is_submitted else None,
            renewal_quote_id=uuid.UUID(int=20_000) if is_offered else None,
            renewal_settled=is_settled,
            reminders_sent=sent,
            received_on=None if received is None else expiration + timedelta(days=received),
            lapse_reminders=sent,
        )
        made.append(policy)
    return tuple(made)


async def shadow(tx: Tx, table: str, rows: list[dict[str, Any]]) -> None:
    """Put rows into a table of this transaction that stands before the real one, whose keys they lack."""
    await tx.connection.execute(f"drop table if exists pg_temp.{table}")
    await tx.connection.execute(f"create temp table {table} (like public.{table}) on commit drop")
    required = await tx.connection.fetch(
        "select attname from pg_attribute where attrelid = $1::text::regclass and attnotnull and attnum > 0",
        f"pg_temp.{table}",
    )
    for (column,) in required:
        await tx.connection.execute(f"alter table {table} alter column {column} drop not null")
    records = [tuple(row.values()) for row in rows]
    await tx.connection.copy_records_to_table(table, records=records, columns=list(rows[0]))


def row_of(policy: Policy) -> dict[str, Any]:
    names = (
        *("quote_id", "in_force", "issued_on", "fulfil_by", "renewal_type", "renewal_submission_id"),
        *("renewal_quote_id", "renewal_settled", "reminders_sent", "received_on", "lapse_reminders"),
    )
    return {name: getattr(policy, name) for name in names} | {"expiration": policy.term.expiration}


@pytest.mark.parametrize("names", OF_POLICIES, ids="+".join)
async def test_a_sweep_finds_the_policies_that_its_job_acts_on(
    service: Service, names: tuple[str, ...]
) -> None:
    is_due, seen = OF_POLICIES[names], 0
    async with service.runtime.database.transaction() as tx:
        for days in DAYS:
            every = policies_that_end(TODAY + timedelta(days=days))
            assert len(every) < BATCH
            await shadow(tx, "binds", [row_of(policy) for policy in every])

            found = {
                quote_id
                for name in names
                for quote_id in await SWEEPS[name].find(tx, service.runtime.rules, TODAY)
            }

            due = {policy.quote_id for policy in every if is_due(policy, TODAY)}
            assert found == due, f"with {days} days to go"
            seen += len(found)
    assert 0 < seen < len(DAYS) * len(every)


@pytest.mark.parametrize("expires_on", [None, TODAY - timedelta(days=1), TODAY])
async def test_a_sweep_finds_the_quotes_that_expire(service: Service, expires_on: date | None) -> None:
    every = [
        a_quote(status, quote_id=uuid.UUID(int=number), expires_on=expires_on)
        for number, status in enumerate(QuoteStatus, start=1)
    ]
    rows = [{name: getattr(quote, name) for name in ("quote_id", "status", "expires_on")} for quote in every]
    async with service.runtime.database.transaction() as tx:
        await shadow(tx, "quotes", rows)

        found = await SWEEPS["expire_quote"].find(tx, service.runtime.rules, TODAY)

    assert set(found) == {
        quote.quote_id for quote in every if decide_expiry(quote, None, TODAY) == ExpireQuote()
    }
    assert len(found) == (2 if expires_on is not None and expires_on < TODAY else 0)


@pytest.mark.parametrize("days", [-1, 0, 2, 3, 4, 9, 10, 11])
async def test_a_sweep_finds_the_quotes_that_are_reminded_of(service: Service, days: int) -> None:
    every = [
        a_quote(
            status,
            quote_id=uuid.UUID(int=number),
            expires_on=TODAY + timedelta(days=days),
            reminders_sent=sent,
        )
        for number, (status, sent) in enumerate(product(QuoteStatus, (0, 1, 2)), start=1)
    ]
    names = ("quote_id", "status", "expires_on", "reminders_sent")
    async with service.runtime.database.transaction() as tx:
        await shadow(tx, "quotes", [{name: getattr(quote, name) for name in names} for quote in every])

        found = {
            quote_id
            for name in ("remind_of_end_1", "remind_of_end_2")
            for quote_id in await SWEEPS[name].find(tx, service.runtime.rules, TODAY)
        }

    assert found == {quote.quote_id for quote in every if is_quote_reminder_due(quote, TODAY)}


@pytest.mark.parametrize("past", [timedelta(microseconds=-1), timedelta()])
async def test_a_sweep_finds_the_referrals_that_go_stale(service: Service, past: timedelta) -> None:
    zone = service.runtime.rules.zone
    referred_at = datetime.combine(TODAY - timedelta(days=60), time.min, zone).astimezone(UTC) + past
    every = [
        a_quote(status, quote_id=uuid.UUID(int=number), referred_at=referred_at)
        for number, status in enumerate(QuoteStatus, start=1)
    ]
    rows = [{name: getattr(quote, name) for name in ("quote_id", "status", "referred_at")} for quote in every]
    async with service.runtime.database.transaction() as tx:
        await shadow(tx, "quotes", rows)

        found = await SWEEPS["let_referral_go_stale"].find(tx, service.runtime.rules, TODAY)

    assert set(found) == {quote.quote_id for quote in every if is_stale(quote, TODAY, zone)}
    assert len(found) == (1 if past else 0)
