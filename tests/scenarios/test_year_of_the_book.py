"""A year of the book: ledger, journals, papers, bordereaux and filings agree to the cent in every month."""

import os
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest

from bindery.actions.policy.make_bordereau import make_bordereau
from bindery.actions.policy.mark_filing import owed
from bindery.actions.policy.write_bordereau import BordereauAsk
from bindery.cli.book import look_at_book
from bindery.domain.access.deeds import Doer
from bindery.domain.bordereaux.bordereau import read_month
from bindery.domain.bordereaux.template import STANDARD, BordereauKind, packaged_template
from bindery.domain.editions import packaged_rows
from bindery.domain.filings.obligations import A_QUARTER
from bindery.domain.rating.surcharges import charge_rules
from bindery.storage.policy import filings
from scenarios.test_policy_changes import MORE, accept, ask
from support.binding import bind, decide, issue, move_to, one_quoted, set_day
from support.book import binder_file, import_file
from support.service import Service

pytestmark = pytest.mark.long
MONTHS = [date(2027, month, 4) for month in range(1, 13)] + [date(2028, 1, 4), date(2028, 2, 4)]
POLICIES = int(os.environ.get("BOOK_POLICIES", "48"))
"""Of a year; more in `make soak`."""
A_MONTH = POLICIES // 12


def of_state(state: str, number: int) -> Callable[[dict[str, Any]], None]:
    prefixes = [row["prefix"] for row in packaged_rows("zip_prefixes.csv") if row["state"] == state]

    def change(body: dict[str, Any]) -> None:
        body["client"]["address"] |= {"state": state, "zip_code": f"{prefixes[-1]}01"}
        body["client"]["name"] = f"Lamplight {state} {number} LLC"

    return change


async def test_everything_that_is_summed_agrees_in_every_month(service: Service, tmp_path: Path) -> None:
    await set_day(service, MONTHS[0])
    wide = binder_file(inception="2027-01-01", expiry="2028-06-01", premium_limit=10**9, states_excluded="[]")
    assert await import_file(service, wide) == []
    states, number = cycle(sorted(charge_rules())), 0
    last_month: list[dict[str, Any]] = []
    for day, following in pairwise(MONTHS):
        await live(service, last_month)
        last_month = []
        for _ in range(A_MONTH if day.year == MONTHS[0].year else 0):
            number += 1
            quote = await one_quoted(service, of_state(next(states), number))
            if number % 7 == 0:
                await bind(service, quote)  # and nothing comes of it, so that it lapses
            else:
                last_month.append(await issue(service, quote))
        await check(service)

        await move_to(service, following)
        await check_month(service, f"{day:%Y-%m}", tmp_path)

    counts = await service.runtime.database.pool.fetchrow(HAPPENED)
    assert counts is not None
    assert counts["bound"] == A_MONTH * 12
    assert counts["lapses"] >= A_MONTH * 12 // 7 - A_MONTH
    assert counts["renewals"] > 0
    assert counts["changes"] >= 12
    assert counts["cancellations"] > counts["reinstatements"] >= 12
    assert counts["states"] == min(len(charge_rules()), A_MONTH * 12)


HAPPENED = """
select count(*) filter (where t.kind = 'original' and s.renews is null) as bound,
       count(*) filter (where t.kind = 'original' and s.renews is not null) as renewals,
       count(*) filter (where t.kind = 'endorsement') as changes,
       count(*) filter (where t.kind = 'cancellation') as cancellations,
       count(*) filter (where t.kind = 'reinstatement') as reinstatements,
       count(*) filter (where t.kind = 'lapse') as lapses,
       count(distinct t.state) as states
from premium_transactions t join quotes using (quote_id) join submissions s using (submission_id)
"""


async def live(service: Service, policies: list[dict[str, Any]]) -> None:
    """Let a month's policies change, end and go on again, each in its own way; one in four stays as it is."""
    for place, policy in enumerate(policies):
        if place % 4 in {0, 1}:
            await accept(service, policy, await ask(service, policy, MORE))
        if place % 4 in {1, 2}:
            await decide(service, policy, "cancel", reason="business_sold")
        if place % 4 == 1:
            await decide(service, policy, "reinstate", reason="Paid.")


async def check(service: Service) -> None:
    """Hold the ledger against journals, policies, papers and the filings of all states."""
    async with service.runtime.database.snapshot() as tx:
        book = await look_at_book(tx)
        due = await owed(tx, until=tx.today + A_QUARTER * 8)
        charges = await tx.value(Decimal, "select sum(charges) from premium_transactions")
    assert {part: looked.findings for part, looked in book.items() if looked.flawed} == {}
    assert sum((one.amount or Decimal(0) for one in due), Decimal(0)) == charges


async def check_month(service: Service, month: str, out: Path) -> None:
    """Hold what was booked in a month that is over against its bordereau and its reports."""
    read, template = read_month(month), packaged_template(STANDARD)
    assert template is not None
    ask = BordereauAsk(
        agreement="SAMPLE-2027", month=read, kind=BordereauKind.PREMIUM, template=template, because="Known."
    )
    made = await make_bordereau(service.runtime, ask, out, by=Doer("somebody"))
    async with service.runtime.database.snapshot() as tx:
        last = date.fromordinal(read.until.toordinal() - 1)
        reported = [row async for part in filings.transactions(tx, read.since, last) for row in part]
        ledger = await tx.connection.fetchrow(
            "select sum(premium) as premium, sum(charges) as charges from premium_transactions "
            "where booked_on >= $1 and booked_on < $2",
            read.since,
            read.until,
        )
    assert ledger is not None
    in_reports = sum(charge.price for row in reported for charge in row.charges)
    assert (sum(row.premium for row in reported), in_reports) == tuple(ledger)
    assert (made.totals.premium, made.totals.charges) == tuple(ledger)
